import { isDeep, isObject, listOf, textOf } from "../json-value.ts";
import type { Json } from "../protocol.ts";

/** Of these, a stream brings a piece at a time. */
const GROWING = ["text", "summary", "data"];

/** What may be read of OpenRouter's `reasoning_details`: text and summaries, not what is encrypted. */
export function detailsText(details: unknown): string {
  // Asked of every chunk, and hardly any has them.
  if (!Array.isArray(details)) return "";
  return listOf(details)
    .filter(isObject)
    .map(({ text, summary }) => textOf(text) || textOf(summary))
    .join("");
}

/** Gathers the details of a stream, to be given back as they would have come whole. */
export class ReasoningDetails {
  #gathered: Record<string, unknown>[] = [];

  add(details: unknown): void {
    for (const detail of listOf(details)) if (isObject(detail) && !isDeep(detail)) this.#add(detail);
  }

  take(): Json[] {
    const taken = this.#gathered;
    this.#gathered = [];
    return taken;
  }

  #add(detail: Json): void {
    const last = this.#gathered.at(-1);
    const continues =
      last !== undefined &&
      last["type"] === detail["type"] &&
      typeof detail["index"] === "number" &&
      last["index"] === detail["index"];
    if (continues) grow(last, detail);
    else this.#gathered.push({ ...detail });
  }
}

function grow(whole: Record<string, unknown>, piece: Json): void {
  for (const [name, value] of Object.entries(piece)) {
    const before = whole[name];
    if (GROWING.includes(name) && typeof before === "string" && typeof value === "string")
      whole[name] = before + value;
    else if (value !== null && value !== undefined) whole[name] = value;
  }
}
