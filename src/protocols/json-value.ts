import type { Json } from "./protocol.ts";

/** What parsed JSON is, for readers that take nothing for granted. */

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isAbsent(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}

/** An empty one where it is none. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : NOTHING;
}

const NOTHING: Json = {};

/**
 * To write what is nested deeply takes time by the square of its depth: seconds for what is parsed in milliseconds. So
 * what an upstream sent is looked at first.
 */
export function isDeep(value: unknown, levelsMax = LEVELS_MAX): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levelsMax === 0 || Object.values(value).some(inner => isDeep(inner, levelsMax - 1));
}

const LEVELS_MAX = 100;

/** What was parsed as JSON text again; empty where it is too deep. */
export function jsonText(value: unknown): string {
  return isDeep(value) ? "" : (JSON.stringify(value) ?? "");
}

/** Null where the text is no JSON, or no object. */
export function parsedObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
