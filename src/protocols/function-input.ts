import { isObject, jsonText, textOf } from "./json-value.ts";

/** The arguments of a function as JSON text; some give them as the object that they are. */
export function inputText(given: unknown): string {
  return isObject(given) ? jsonText(given) : textOf(given);
}

/** A function without arguments has an empty object of them. */
export function functionInput(text: string): string {
  return text.trim() === "" ? "{}" : text;
}
