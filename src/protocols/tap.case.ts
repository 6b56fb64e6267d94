import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "../domain/usage.ts";
import type { RequestView, Tap } from "./protocol.ts";

/** A request for whose answer a tap is made. */
export function viewFor(dialect: Dialect, extra: Partial<RequestView> = {}): RequestView {
  return {
    dialect,
    bytes: Buffer.from("{}"),
    body: {},
    model: "mine",
    stream: true,
    wantsUsage: dialect !== "chat",
    limitField: null,
    outputTokensAsked: null,
    choices: 1,
    dataBytes: 0,
    dataParts: 0,
    ...extra,
  };
}

/** The same numbers for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 8) / 2 ** 24;
  };
}

export function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map(cut => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

export const singly = (bytes: Buffer): Buffer[] => [...bytes].map(byte => Buffer.of(byte));

/** Many small pieces, some large ones, and some of nothing. */
export function shattered(bytes: Buffer, random: () => number): Buffer[] {
  const longest = Math.max(2 ** (1 + Math.floor(random() * 14)), bytes.length / 50);
  const pieces: Buffer[] = [];
  for (let from = 0; from < bytes.length; ) {
    const size = Math.floor(random() ** 3 * longest);
    pieces.push(bytes.subarray(from, from + size));
    from += size;
  }
  return pieces;
}

/** What passed while it came, and what passed when it was over. */
export function played(tap: Tap, parts: readonly Uint8Array[]): { text: string; rest: string | null } {
  const passed = parts.map(part => tap.feed(part)).filter(bytes => bytes !== null);
  const rest = tap.rest();
  return {
    text: Buffer.concat(passed).toString(),
    rest: rest === null ? null : Buffer.from(rest).toString(),
  };
}

/** An event as an upstream frames it: the messages and responses dialects name it. */
export function framed(dialect: Dialect, event: object, end = "\n"): string {
  const type = "type" in event ? String(event.type) : "";
  const name = dialect === "chat" ? "" : `event: ${type}${end}`;
  return `${name}data: ${JSON.stringify(event)}${end}${end}`;
}

export const escapedBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** The events that a text holds, as a client reads them. */
export function eventsIn(text: string): { name: string | null; data: string }[] {
  return text
    .split("\n\n")
    .filter(event => event !== "")
    .map(event => {
      const value = (field: string) =>
        event
          .split("\n")
          .find(line => line.startsWith(`${field}: `))
          ?.slice(field.length + 2);
      return { name: value("event") ?? null, data: value("data") ?? "" };
    });
}

const RECORDINGS = join(import.meta.dir, "..", "..", "..", "shared", "recordings");
const FOLDERS: Record<Dialect, string> = {
  chat: "openai-chat",
  responses: "openai-responses",
  messages: "anthropic-messages",
};

export const NO_RECORDINGS = "skipped: the recordings are not beside this clone (../shared/recordings)";

/** The recorded answers of a dialect, of the kind that the ending names. */
export function recordings(
  dialect: Dialect,
  ending: ".json" | ".chunks.txt",
): { name: string; text: string }[] {
  const folder = join(RECORDINGS, FOLDERS[dialect]);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter(name => name.endsWith(ending))
    .sort()
    .map(name => ({ name, text: firstAnswer(readFileSync(join(folder, name), "utf8")) }));
}

/** One of them holds the streams of several answers, one behind the other. */
function firstAnswer(text: string): string {
  const lines = text.split("\n");
  const last = lines.findIndex(line => line.startsWith('{"type":"response.completed"'));
  return last < 0 ? text : lines.slice(0, last + 1).join("\n");
}

/** A recorded stream, framed. */
export function recordedStream(dialect: Dialect, text: string, end = "\n"): string {
  const events = text.split("\n").filter(line => line !== "");
  const all = events.map(line => {
    const { type } = JSON.parse(line) as { type?: string };
    return `${dialect === "chat" ? "" : `event: ${type}${end}`}data: ${line}${end}${end}`;
  });
  return all.join("") + (dialect === "chat" ? `data: [DONE]${end}${end}` : "");
}
