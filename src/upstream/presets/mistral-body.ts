import { isObject } from "../../protocols/json-value.ts";
import type { Json } from "../../protocols/protocol.ts";
import { editBody } from "./edit-body.ts";

/** Mistral refuses fields that it does not know, and ids of calls that are not of its own form. */

const UNKNOWN = ["stream_options", "user"];
const OTHER_NAMES = [
  ["max_completion_tokens", "max_tokens"],
  ["seed", "random_seed"],
] as const;
const ID_FORM = /^[A-Za-z0-9]{9}$/;
const ID_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const ID_LENGTH = 9;

/** It reports the usage of a stream unasked. */
export function mistralBody(body: Uint8Array): Uint8Array {
  const parsed = parse(body);
  if (parsed === null) return body;
  const edits = new Map<string, string | null>();
  for (const name of UNKNOWN) if (parsed[name] !== undefined) edits.set(name, null);
  for (const [name, theirs] of OTHER_NAMES) {
    const value = parsed[name];
    if (value === undefined) continue;
    edits.set(name, null);
    if (value !== null) edits.set(theirs, JSON.stringify(value));
  }
  const messages = messagesFor(parsed["messages"]);
  if (messages !== null) edits.set("messages", JSON.stringify(messages));
  return edits.size === 0 ? body : editBody(body, edits);
}

function parse(body: Uint8Array): Json | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body).toString("utf8"));
    return isObject(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

/** Null where they can go as they are. */
function messagesFor(messages: unknown): unknown[] | null {
  if (!Array.isArray(messages)) return null;
  const written = messages.map(message => (isObject(message) ? messageFor(message) : message));
  return written.some((message, at) => message !== messages[at]) ? written : null;
}

function messageFor(message: Json): Json {
  const { role, tool_calls: calls, tool_call_id: callId } = message;
  const edits: Record<string, unknown> = {};
  if (role === "developer") edits["role"] = "system";
  if (typeof callId === "string" && !ID_FORM.test(callId)) edits["tool_call_id"] = shortId(callId);
  if (Array.isArray(calls) && calls.some(hasForeignId)) {
    edits["tool_calls"] = calls.map(call =>
      hasForeignId(call) ? { ...call, id: shortId(String(call["id"])) } : call,
    );
  }
  return Object.keys(edits).length === 0 ? message : { ...message, ...edits };
}

function hasForeignId(call: unknown): call is Json {
  return isObject(call) && typeof call["id"] === "string" && !ID_FORM.test(call["id"]);
}

/** The same for the same id, so that a call and its result still belong together. */
function shortId(id: string): string {
  const bytes = new Bun.CryptoHasher("sha256").update(id).digest();
  return Array.from({ length: ID_LENGTH }, (_, at) => ID_DIGITS[(bytes[at] ?? 0) % ID_DIGITS.length]).join(
    "",
  );
}
