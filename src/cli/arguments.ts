import { parseArgs } from "node:util";
import type { Command, Option } from "./command.ts";
import { nearest } from "./nearest.ts";
import { UsageProblem } from "./problem.ts";

export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  json: { meaning: "answer in JSON, for scripts" },
  debug: { meaning: "say more when something goes wrong" },
  help: { meaning: "show this help" },
};

export type Parsed = {
  values: Readonly<Record<string, string | boolean | undefined>>;
  positionals: readonly string[];
};

export function readArguments(command: Command, argv: readonly string[]): Parsed {
  const options = { ...COMMON_OPTIONS, ...command.options };
  const parsed = parse(options, argv);
  if (parsed.values["help"] === true) return parsed;
  const [first, ...more] = parsed.positionals.slice(command.positionals.length);
  if (first !== undefined) {
    const count = more.length === 0 ? "one argument" : `${more.length + 1} arguments`;
    throw new UsageProblem(`“${command.name}” was given ${count} too many, from “${first}” on.`);
  }
  const missing = [
    ...command.positionals.slice(parsed.positionals.length),
    ...Object.entries(options)
      .filter(([name, option]) => option.required === true && parsed.values[name] === undefined)
      .map(([name, option]) => `--${name} ${option.value ?? ""}`.trim()),
  ];
  if (missing.length > 0) throw new UsageProblem(`“${command.name}” needs ${missing.join(", ")}.`);
  return parsed;
}

function parse(options: Readonly<Record<string, Option>>, argv: readonly string[]): Parsed {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [
      name,
      {
        type: value === undefined ? ("boolean" as const) : ("string" as const),
        ...(name === "help" ? { short: "h" } : {}),
      },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: config,
      strict: true,
      allowPositionals: true,
    });
    return { values: values as Parsed["values"], positionals };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw explain(
      options,
      parseArgs({ args: [...argv], options: config, strict: false, tokens: true }).tokens,
    );
  }
}

type Token = {
  kind: string;
  name?: string;
  rawName?: string;
  value?: string | undefined;
  inlineValue?: boolean | undefined;
};

/** The library stops at the first fault; this finds it again, to say it in a sentence. */
function explain(options: Readonly<Record<string, Option>>, tokens: readonly Token[]): UsageProblem {
  for (const token of tokens) {
    const { name, rawName, value, inlineValue } = token;
    if (name === undefined || rawName === undefined) continue;
    const option = options[name];
    if (option === undefined) return unknownOption(rawName, Object.keys(options));
    if (option.value === undefined && value !== undefined) {
      return new UsageProblem(`${rawName} is a switch and takes no value.`);
    }
    const takenFromNext = value?.startsWith("-") === true && inlineValue === false;
    if (option.value !== undefined && (value === undefined || takenFromNext)) {
      const hint = takenFromNext ? `Write ${rawName}=VALUE where the value begins with a minus sign.` : null;
      return new UsageProblem(`${rawName} needs a value: ${option.value}.`, hint);
    }
  }
  return new UsageProblem("These arguments cannot be understood.");
}

function unknownOption(rawName: string, known: readonly string[]): UsageProblem {
  if (/^-[\d.]/.test(rawName)) {
    return new UsageProblem(
      "A number with a minus sign reads as an option, and amounts here are never negative.",
    );
  }
  const meant = nearest(rawName.replace(/^-+/, ""), known);
  return new UsageProblem(
    `There is no option ${rawName}.`,
    meant === null ? null : `Did you mean --${meant}?`,
  );
}
