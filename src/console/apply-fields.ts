import { z } from "zod";
import { parseMultiplier, parsePricePerMillion, parseUsd } from "../domain/money.ts";
import { parseMoment } from "./apply-time.ts";
import { NumberText } from "./apply-yaml.ts";

/**
 * The kinds of value in an apply file. Each refusal is a clause that follows the field's name; none repeats the value,
 * because a value may have come from a variable that holds a secret.
 */

const EMPTY = "has no value: write one, or leave the field out";
const MISSING = "is missing";

type Read<T> = (value: unknown) => { value: T } | { problem: string };

/** One value that is read as a whole. Undefined and null are told apart from a wrong value. */
function field<T>(read: Read<T>) {
  return z.unknown().transform((input, context): T => {
    const result =
      input === undefined ? { problem: MISSING } : input === null ? { problem: EMPTY } : read(input);
    if ("value" in result) return result.value;
    context.addIssue({ code: "custom", message: result.problem });
    return z.NEVER;
  });
}

/** A number in its own spelling, or a text, so that a variable can stand for a number. */
function written(input: unknown): string | null {
  if (input instanceof NumberText) return input.text;
  return typeof input === "string" ? input : null;
}

function scalar<T>(parse: (text: string) => T | null, problem: string) {
  return field<T>(input => {
    const text = written(input);
    const value = text === null ? null : parse(text);
    return value === null ? { problem } : { value };
  });
}

export function textField(check: (text: string) => string | null) {
  return field<string>(input => {
    if (input instanceof NumberText || typeof input === "boolean") {
      return { problem: "must be a text: put it in quotes" };
    }
    if (typeof input !== "string") return { problem: "must be a text" };
    const problem = check(input);
    return problem === null ? { value: input } : { problem };
  });
}

export function choiceField<T extends string>(...choices: readonly T[]) {
  return field<T>(input => {
    const value = choices.find(choice => choice === input);
    return value === undefined ? { problem: `must be one of ${choices.join(", ")}` } : { value };
  });
}

export const flagField = field<boolean>(input => {
  if (typeof input === "boolean") return { value: input };
  if (input === "true" || input === "false") return { value: input === "true" };
  return { problem: "must be true or false" };
});

type Range = { min: number; max: number };

export function wholeField({ min, max }: Range) {
  return scalar(wholeIn({ min, max }), `must be a whole number from ${min} to ${max}, in plain digits`);
}

function wholeIn({ min, max }: Range): (text: string) => number | null {
  return text => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : null;
  };
}

/** A limit of zero would let nothing pass, and whoever writes it may mean the opposite: so it is refused. */
export function countLimitField({ max }: Pick<Range, "max">) {
  const problem = `must be a whole number from 1 to ${max}, in plain digits`;
  return scalar(wholeIn({ min: 0, max }), problem).refine(count => count > 0, {
    error: "must be at least 1: leave the field out where there is no limit",
  });
}

export const usdField = scalar(
  text => notNegative(parseUsd(text)),
  "must be an amount of USD such as 12.50: not negative, below 1000000000, with at most 9 decimals, in plain digits",
);

export const spendLimitField = usdField.refine(amount => amount > 0n, {
  error: "must be more than 0: leave the field out where there is no limit",
});

export const pricePerMillionField = scalar(
  parsePricePerMillion,
  "must be USD per million tokens such as 1.25: not negative, below 1000000, with at most 6 decimals, in plain digits",
);

export const multiplierField = scalar(
  parseMultiplier,
  "must be a factor such as 1.5: not negative, below 10000, with at most 4 decimals, in plain digits",
);

export const momentField = scalar(
  parseMoment,
  "must be a date such as 2027-01-01, or a time with its zone such as 2027-01-01T00:00:00Z",
);

function notNegative(value: bigint | null): bigint | null {
  return value === null || value < 0n ? null : value;
}

/** `off`, or every so many minutes. */
export function probeField({ minutesMax }: { minutesMax: number }) {
  const parse = (text: string): "off" | number | null => {
    if (text === "off") return "off";
    const minutes = /^\d{1,6}$/.test(text) ? Number(text) : 0;
    return minutes >= 1 && minutes <= minutesMax ? minutes : null;
  };
  const problem = `must be off, or a whole number of minutes from 1 to ${minutesMax}`;
  return field<"off" | number>(input => {
    // In YAML of old, off is a way to say no.
    const text = input === false ? "off" : written(input);
    const value = text === null ? null : parse(text);
    return value === null ? { problem } : { value };
  });
}
