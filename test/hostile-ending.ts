import type { Dialect } from "../src/domain/usage.ts";
import type { Answered } from "./hostile-rig.ts";

/** What a client makes of an answer: how it ended, what was said, and what is wrong with its form. */

export type Ending = {
  /** `cut` is an end that says nothing, which no client may be left with. */
  kind: "end" | "length" | "error" | "cut" | "refused";
  text: string;
  faults: string[];
};

type Told = { name: string | null; data: string };
type Fields = Record<string, unknown>;

export function endingOf(answered: Answered): Ending {
  const { pair, status, text, headers, whole } = answered;
  if (status !== 200) return refusedEnding(pair.client, text);
  if (!whole) return { kind: "cut", text: "", faults: ["the connection broke"] };
  const isStream = (headers.get("content-type") ?? "").startsWith("text/event-stream");
  if (isStream !== pair.stream) return { kind: "cut", text: "", faults: [`is a stream: ${isStream}`] };
  return isStream ? streamEnding(pair.client, text) : wholeEnding(pair.client, text);
}

export function toldEvents(text: string): { events: Told[]; tail: string } {
  const blocks = text.split(/\r\n\r\n|\n\n|\r\r/);
  const tail = blocks.pop() ?? "";
  const events = blocks.flatMap(block => {
    const lines = block.split(/\r\n|\n|\r/);
    const value = (field: string) =>
      lines
        .filter(line => line.startsWith(`${field}:`))
        .map(line => line.slice(field.length + 1).replace(/^ /, ""));
    const data = value("data");
    return data.length === 0 ? [] : [{ name: value("event").at(-1) ?? null, data: data.join("\n") }];
  });
  return { events, tail };
}

export function streamEnding(client: Dialect, text: string): Ending {
  const { events, tail } = toldEvents(text);
  const bodies = events.map(({ data }) => fieldsOf(data));
  const ends = events.flatMap((event, at) => {
    const kind = endKind(client, event, bodies[at] ?? {});
    return kind === null ? [] : [{ kind, at }];
  });
  const faults: string[] = [];
  const [first] = ends;
  // Usage, and the last word of a chat, follow its finish; after an end or an error nothing does.
  if (ends.length > 1) faults.push(`ends ${ends.length} times`);
  if (first !== undefined && first.at < events.length - 1) faults.push("goes on after its end");
  if (tail.trim() !== "") faults.push(`leaves half an event: ${tail.slice(0, 40)}`);
  return {
    kind: kindOf(client, first?.kind ?? "cut", bodies),
    text: bodies.map(body => saidIn(client, body)).join(""),
    faults,
  };
}

function endKind(client: Dialect, { name, data }: Told, body: Fields): Ending["kind"] | null {
  switch (client) {
    case "chat":
      if (data.trim() === "[DONE]") return "end";
      return body["error"] === undefined || body["error"] === null ? null : "error";
    case "messages":
      if (body["type"] === "message_stop") return "end";
      return name === "error" || body["type"] === "error" ? "error" : null;
    case "responses":
      if (body["type"] === "response.failed" || body["type"] === "error") return "error";
      if (body["type"] === "response.incomplete") return "length";
      return body["type"] === "response.completed" ? "end" : null;
    default:
      return client satisfies never;
  }
}

/** In two of the dialects the length is told before the end. */
function kindOf(client: Dialect, kind: Ending["kind"], bodies: readonly Fields[]): Ending["kind"] {
  if (kind !== "end" || client === "responses") return kind;
  const isLength = bodies.some(body =>
    client === "chat"
      ? listOf(body["choices"]).some(choice => choice["finish_reason"] === "length")
      : fieldsIn(body["delta"])["stop_reason"] === "max_tokens",
  );
  return isLength ? "length" : "end";
}

function saidIn(client: Dialect, body: Fields): string {
  switch (client) {
    case "chat":
      return listOf(body["choices"])
        .map(choice => textOf(fieldsIn(choice["delta"])["content"]))
        .join("");
    case "messages":
      return textOf(fieldsIn(body["delta"])["text"]);
    case "responses":
      return body["type"] === "response.output_text.delta" ? textOf(body["delta"]) : "";
    default:
      return client satisfies never;
  }
}

function wholeEnding(client: Dialect, text: string): Ending {
  const body = fieldsOf(text);
  switch (client) {
    case "chat": {
      const [choice = {}] = listOf(body["choices"]);
      const kind = choice["finish_reason"] === "length" ? "length" : "end";
      return { kind, text: textOf(fieldsIn(choice["message"])["content"]), faults: [] };
    }
    case "messages": {
      const kind = body["stop_reason"] === "max_tokens" ? "length" : "end";
      const said = listOf(body["content"]).map(block => textOf(block["text"]));
      return { kind, text: said.join(""), faults: [] };
    }
    case "responses": {
      const parts = listOf(body["output"]).flatMap(item => listOf(item["content"]));
      const kind = body["status"] === "incomplete" ? "length" : "end";
      return { kind, text: parts.map(part => textOf(part["text"])).join(""), faults: [] };
    }
    default:
      return client satisfies never;
  }
}

/** Told before the answer began, in the client's own form. */
function refusedEnding(client: Dialect, text: string): Ending {
  const body = fieldsOf(text);
  const error = fieldsIn(body["error"]);
  const faults: string[] = [];
  if (typeof error["message"] !== "string") faults.push("has no message");
  if ((body["type"] === "error") !== (client === "messages")) faults.push(`is no error of ${client}`);
  return { kind: "refused", text: textOf(error["reason"]), faults };
}

function fieldsOf(text: string): Fields {
  try {
    return fieldsIn(JSON.parse(text));
  } catch {
    return {};
  }
}

const fieldsIn = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsIn) : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
