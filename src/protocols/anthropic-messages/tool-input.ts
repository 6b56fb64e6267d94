import { isDeep, parsedObject } from "../json-value.ts";
import type { Json } from "../protocol.ts";

/** The input of a tool is an object in this dialect. What is none is put into one, so that nothing of it is lost. */
export function toolInput(input: string): Json {
  const text = input.trim();
  if (text === "" || text === "null") return {};
  const given = parsedObject(text);
  return given === null || isDeep(given) ? { input } : given;
}
