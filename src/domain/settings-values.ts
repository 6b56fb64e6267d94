import { isIP } from "node:net";
import { isEmail } from "./account.ts";
import { type Nanos, parseUsd } from "./money.ts";

/** How a setting's text is read, wherever it stands: a value, or what is wrong with it, after the setting's name. */
export type Read<T> = { value: T } | { problem: string };
export type Reader<T> = (text: string | null) => Read<T>;

const NUMBER = /^\d{1,9}$/;
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
/** What turns the writing of the text around it. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]/u;
const UNSEEN = /^[\p{Cf}\p{Z}\p{M}\u115f\u1160\u3164\uffa0\u2800]*$/u;
const THIS_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;
/** A label of digits alone at the end is an address that went wrong. */
const HOST_NAME = /^(?:[a-z0-9_-]+\.)*(?!\d+$)[a-z0-9_-]+$/i;

export const text: Reader<string> = value => ({ value: value ?? "" });
export const optional: Reader<string | null> = value => ({ value });

export function oneOf<T extends string>(...choices: readonly T[]): Reader<T> {
  return value => {
    const found = choices.find(choice => choice === value);
    return found === undefined ? { problem: `must be one of ${choices.join(", ")}` } : { value: found };
  };
}

export const onOff: Reader<boolean> = value =>
  value === "on" || value === "off" ? { value: value === "on" } : { problem: "must be one of on, off" };

type Bounds = { min: number; max: number; scale?: number };

/** A whole number in the unit that people write, kept in the unit that the code means. */
export function whole({ min, max, scale = 1 }: Bounds): Reader<number> {
  return value => {
    const number = value !== null && NUMBER.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return { value: number * scale };
    return { problem: `must be a whole number from ${min} to ${max}` };
  };
}

/** The same, where there need not be one. */
export function wholeOrNone(bounds: Bounds): Reader<number | null> {
  const read = whole(bounds);
  return value => (value === null ? { value: null } : read(value));
}

export const amount: Reader<Nanos> = value => {
  const nanos = parseUsd(value ?? "");
  return nanos !== null && nanos >= 0n
    ? { value: nanos }
    : { problem: "must be an amount in USD such as 0 or 0.50" };
};

export const rootUrl: Reader<string | null> = value => {
  if (value === null) return { value: null };
  const url = URL.canParse(value) ? new URL(value) : null;
  const isHttp = url !== null && (url.protocol === "http:" || url.protocol === "https:");
  if (!isHttp || /[?#@]/.test(value)) {
    return { problem: "must be a whole http or https address such as https://gate.example.org" };
  }
  const root = (url.origin + url.pathname).replace(/\/+$/, "");
  return root.endsWith("/v1") ? { problem: "must be the root address, without /v1" } : { value: root };
};

export function isThisMachine(host: string): boolean {
  return THIS_MACHINE.test(host);
}

/** What a sign-in service says has to be believed, so it is reached over TLS, or on this machine. */
export const issuer: Reader<string | null> = value => {
  if (value === null) return { value: null };
  const url = URL.canParse(value) ? new URL(value) : null;
  const isHere = url !== null && isThisMachine(url.hostname);
  const isGood = url?.protocol === "https:" || (url?.protocol === "http:" && isHere);
  return isGood && !/[?#@]/.test(value)
    ? { value }
    : { problem: "must be the https address of an OpenID Connect issuer, such as https://id.example.org" };
};

/** One line of text as other programs give it. */
export function line(charactersMax: number): Reader<string | null> {
  return value => {
    if (value === null) return { value };
    if (CONTROL.test(value)) return { problem: "must have no line breaks and no control characters" };
    return value.length > charactersMax
      ? { problem: `must have at most ${charactersMax} characters` }
      : { value };
  };
}

/** What people see on pages and in mails. */
export function shown(charactersMax: number): Reader<string> {
  return value => {
    const given = value ?? "";
    if (CONTROL.test(given)) return { problem: "must have no line breaks and no control characters" };
    if (BIDI.test(given)) return { problem: "must have no characters that turn the direction of text" };
    if (UNSEEN.test(given)) return { problem: "must have at least one character that can be seen" };
    return [...given].length > charactersMax
      ? { problem: `must have at most ${charactersMax} characters` }
      : { value: given };
  };
}

export const host: Reader<string | null> = value => {
  if (value === null) return { value };
  const isGood = isIP(value) !== 0 || (value.length <= 253 && HOST_NAME.test(value));
  return isGood ? { value } : { problem: "must be a host name such as smtp.example.org, without a port" };
};

export const emailAddress: Reader<string | null> = value =>
  value === null || isEmail(value)
    ? { value }
    : { problem: "must be an e-mail address such as gate@example.org" };
