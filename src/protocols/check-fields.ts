import { isAbsent, isObject, isText } from "./json-value.ts";
import type { Json, Problem } from "./protocol.ts";
import { MODEL_CHARACTERS_MAX } from "./read-body.ts";

/** The faults that requests of all dialects can have. Each check says the first that it finds, or null. */

export const TOKENS_MAX = 100_000_000;
const SHOWN_CHARACTERS_MAX = 40;

export function named(param: string, problem: string): Problem {
  return { param, problem: `“${param}” ${problem}` };
}

export function modelProblem({ model }: Json): Problem | null {
  if (model === undefined) return named("model", "is missing");
  if (typeof model !== "string" || model === "") return named("model", "must be the name of a model");
  return model.length > MODEL_CHARACTERS_MAX
    ? named("model", `has more than ${MODEL_CHARACTERS_MAX} characters`)
    : null;
}

/** A list of at least one. What stands in it is for others to look at. */
export function listProblem(body: Json, name: string): Problem | null {
  const list = body[name];
  if (list === undefined) return named(name, "is missing");
  if (!Array.isArray(list)) return named(name, "must be a list");
  return list.length === 0 ? named(name, "is empty") : null;
}

export function streamProblem({ stream, stream_options: options }: Json): Problem | null {
  if (!isAbsent(stream) && typeof stream !== "boolean") return named("stream", "must be true or false");
  return isAbsent(options) || isObject(options) ? null : named("stream_options", "must be an object");
}

/** Without an upper bound it goes as far as numbers are exact. */
export type Range = { min: number; max?: number; isWhole?: true };

export function numbersProblem(body: Json, ranges: Readonly<Record<string, Range>>): Problem | null {
  for (const name in ranges) {
    const value = body[name];
    const range = ranges[name];
    if (isAbsent(value) || range === undefined || isWithin(value, range)) continue;
    return named(name, rangeClause(range));
  }
  return null;
}

export function isWithin(
  value: unknown,
  { min, max = Number.MAX_SAFE_INTEGER, isWhole }: Range,
): value is number {
  if (typeof value !== "number" || !(value >= min && value <= max)) return false;
  return isWhole === undefined || Number.isInteger(value);
}

export function rangeClause({ min, max, isWhole }: Range): string {
  const bounds = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  return `must be a ${isWhole ? "whole number" : "number"} ${bounds}`;
}

export function roleProblem(
  role: unknown,
  { at, roles }: { at: string; roles: readonly string[] },
): Problem | null {
  if (typeof role === "string" && roles.includes(role)) return null;
  return named(`${at}.role`, `must be one of ${roles.join(", ")}`);
}

/** Tools, calls and results come new faster than this list, so what is named like one is let through. */
const NAMED_LIKE_KNOWN = /_(use|result|call|output|reference)$/;

export function isKnownType(type: string, types: ReadonlySet<string>): boolean {
  return types.has(type) || NAMED_LIKE_KNOWN.test(type);
}

export function unknownType({ at, type }: { at: string; type: string }): Problem {
  return named(`${at}.type`, `is “${type.slice(0, SHOWN_CHARACTERS_MAX)}”, which is not known here`);
}

/** The parts of a message, each an object of a type that the dialect has. */
export function partsProblem(
  parts: readonly unknown[],
  { at, types }: { at: string; types: ReadonlySet<string> },
): Problem | null {
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    const place = `${at}[${index}]`;
    if (!isObject(part)) return named(place, "must be an object");
    const { type } = part;
    if (type === undefined) return named(`${place}.type`, "is missing");
    if (typeof type !== "string") return named(`${place}.type`, "must be a text");
    if (!isKnownType(type, types)) return unknownType({ at: place, type });
  }
  return null;
}

/** What is called must say who calls and what. */
export function textProblem(value: unknown, param: string): Problem | null {
  if (isAbsent(value)) return named(param, "is missing");
  return isText(value) ? null : named(param, "must be a text that is not empty");
}

/** A result whose call is not there would be refused, or read as if it answered another. */
export function callIdProblem(
  id: unknown,
  { param, calls }: { param: string; calls: ReadonlySet<string> },
): Problem | null {
  if (!isText(id)) return textProblem(id, param);
  return calls.has(id) ? null : named(param, "is not the id of an earlier tool call");
}

export function toolsProblem({ tools }: Json): Problem | null {
  if (isAbsent(tools)) return null;
  if (!Array.isArray(tools)) return named("tools", "must be a list");
  const odd = tools.findIndex(tool => !isObject(tool));
  return odd < 0 ? null : named(`tools[${odd}]`, "must be an object");
}

/** A choice of tools must be among them. */
export function choiceProblem(chosen: readonly unknown[], names: ReadonlySet<unknown>): Problem | null {
  const missing = chosen.find(name => typeof name === "string" && !names.has(name));
  if (typeof missing !== "string") return null;
  return named("tool_choice", `names “${missing.slice(0, SHOWN_CHARACTERS_MAX)}”, which is not in “tools”`);
}
