import type { Dialect } from "./draft.ts";

export type Said = { text: string; thinking: string };

type Json = Record<string, unknown>;
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null;
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** What one event of a stream adds. */
function added(event: Json, dialect: Dialect): Said {
  if (dialect === "chat") {
    const delta = list(event["choices"])[0]?.["delta"];
    if (!isJson(delta)) return { text: "", thinking: "" };
    const thinking = textOf(delta["reasoning_content"]) || textOf(delta["reasoning"]);
    return { text: textOf(delta["content"]), thinking };
  }
  if (dialect === "responses") {
    const delta = textOf(event["delta"]);
    const type = textOf(event["type"]);
    if (type === "response.output_text.delta" || type === "response.refusal.delta") {
      return { text: delta, thinking: "" };
    }
    return {
      text: "",
      thinking: type.startsWith("response.reasoning") && type.endsWith(".delta") ? delta : "",
    };
  }
  const delta = event["type"] === "content_block_delta" ? event["delta"] : null;
  return isJson(delta)
    ? { text: textOf(delta["text"]), thinking: textOf(delta["thinking"]) }
    : { text: "", thinking: "" };
}

/** Takes a stream as the network cuts it, and gives what was said so far. */
export function createStreamReader(dialect: Dialect): (piece: string) => Said {
  let rest = "";
  const said: Said = { text: "", thinking: "" };
  return piece => {
    const lines = (rest + piece).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("data:")) continue;
      try {
        const event: unknown = JSON.parse(line.slice("data:".length));
        if (!isJson(event)) continue;
        const { text, thinking } = added(event, dialect);
        said.text += text;
        said.thinking += thinking;
      } catch {
        // The end of a stream is a word, not an object.
      }
    }
    return { ...said };
  };
}

/** What an answer says that came whole; null where it is none in this dialect. */
export function readWhole(body: string, dialect: Dialect): Said | null {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return null;
  }
  if (!isJson(answer)) return null;
  if (dialect === "chat") {
    const message = list(answer["choices"])[0]?.["message"];
    if (!isJson(message)) return null;
    return { text: textOf(message["content"]), thinking: textOf(message["reasoning_content"]) };
  }
  if (dialect === "responses") {
    const parts = list(answer["output"]).flatMap(item => list(item["content"]));
    return { text: parts.map(part => textOf(part["text"])).join(""), thinking: "" };
  }
  const parts = list(answer["content"]);
  const join = (name: string) => parts.map(part => textOf(part[name])).join("");
  return { text: join("text"), thinking: join("thinking") };
}

/** The sentence of a refusal, in either style. */
export function refusalOf(body: string): string | null {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : null;
  } catch {
    return null;
  }
}
