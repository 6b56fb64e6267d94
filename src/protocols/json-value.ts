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

/** An empty one where it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An empty one where it is none. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A text that says something. */
export function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Null for what is no text, and for one that says nothing. */
export function textOrNull(value: unknown): string | null {
  return isText(value) ? value : null;
}

/** Null for what is no text; one that says nothing stays what it is. */
export function stringOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function booleanOrNull(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}

/** Zero where it is none. */
export function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

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
