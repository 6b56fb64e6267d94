import { expect } from "bun:test";
import type { Citation, Reply, ReplyPart, Seal, Stop, StopReason } from "../domain/chat.ts";
import type { Dialect, Usage } from "../domain/usage.ts";
import { carrySeal } from "./carry-seal.ts";
import { HEAD } from "./prompt.case.ts";
import type { ReplyHead } from "./protocol.ts";

/**
 * What is left of an answer that was written in a dialect and read again: everything, but for what the dialect cannot
 * say. Each of these losses is one that clients of the dialect have to live with, and stands here with its reason.
 */
export const heardReply: Record<Dialect, (reply: Reply, head?: ReplyHead) => Reply> = {
  chat: heardInChat,
  messages: heardInMessages,
  responses: heardInResponses,
};

const ID_PREFIXES: Record<Dialect, string> = { chat: "chatcmpl-", messages: "msg_", responses: "resp_" };
/** A refusal without words is said in ours, where the dialect has no other place for it. */
const REFUSAL_TEXT = "The model refused to answer.";

/** The answer is the gateway's: its id, and the name that the client asked for. */
function headOf(
  dialect: Dialect,
  { id, model, createdSeconds }: ReplyHead,
): Pick<Reply, "id" | "model" | "createdSeconds"> {
  // Messages have no time.
  const time = dialect === "messages" ? null : createdSeconds;
  return { id: ID_PREFIXES[dialect] + id, model, createdSeconds: time };
}

const CHAT_SEAL: Seal = {
  origin: "chat",
  kind: "signature",
  value: JSON.stringify({ field: "reasoning_content" }),
  id: null,
};

/** A message of chat has one text, one refusal and one field of thoughts, and its calls behind them. */
function heardInChat({ parts, stop, usage }: Reply, head = HEAD): Reply {
  const texts = parts.filter(part => part.kind === "text");
  const refusal = textsOf(parts, "refusal").join("");
  const thoughts = textsOf(parts, "reasoning").join("\n\n");
  const calls = parts.filter(part => part.kind === "tool-call");
  const citations = texts.flatMap(part => part.citations);
  const text = texts.map(part => part.text).join("");
  const heard: ReplyPart[] = [];
  // It has no field for a seal, and what it reads is sealed as its own.
  if (thoughts !== "") heard.push({ kind: "reasoning", text: thoughts, seal: CHAT_SEAL });
  if (text !== "") heard.push({ kind: "text", text, citations, cache: null });
  if (refusal !== "") heard.push({ kind: "refusal", text: refusal });
  heard.push(...calls);
  return {
    ...headOf("chat", head),
    parts: heard,
    stop: { raw: null, sequence: null, reason: chatReason(stop.reason, heard) },
    usage: withoutTimes(usage),
  };
}

function chatReason(reason: StopReason, parts: readonly ReplyPart[]): StopReason {
  const refused = parts.some(({ kind }) => kind === "refusal");
  switch (reason) {
    // It does not tell a stop sequence from an end.
    case "end":
    case "stop-sequence":
      return refused ? "refusal" : "end";
    // Its only word for a refusal without words is the filter.
    case "refusal":
      return refused ? "refusal" : "filter";
    // It has no word for these; this one says that there is more to come.
    case "context-full":
    case "pause":
    case "unknown":
      return "length";
    default:
      return reason;
  }
}

function heardInMessages({ parts, stop, usage }: Reply, head = HEAD): Reply {
  return {
    ...headOf("messages", head),
    parts: parts.flatMap(heardBlock),
    stop: messagesStop(stop, parts),
    // There is no answer without a usage here: where none was reported, it is guessed.
    usage: usage ?? expect.objectContaining({ cacheRead: 0 }),
  };
}

function heardBlock(part: ReplyPart): ReplyPart[] {
  switch (part.kind) {
    case "text":
      return [part];
    // A refusal is a text like others: the reason of the end says what it is.
    case "refusal":
      return [{ kind: "text", text: part.text, citations: [], cache: null }];
    case "reasoning":
      return [{ ...part, seal: part.seal === null ? null : carried(part.seal, "messages") }];
    // The input of every tool is an object, so free text is put into one.
    case "tool-call":
      return [
        part.tool === "custom"
          ? { ...part, tool: "function", input: JSON.stringify({ input: part.input }) }
          : part,
      ];
    case "foreign":
      return [];
    default:
      return part satisfies never;
  }
}

function messagesStop({ reason, sequence }: Stop, parts: readonly ReplyPart[]): Stop {
  const refused = parts.some(({ kind }) => kind === "refusal");
  const stop = (told: StopReason): Stop => ({ raw: null, sequence: null, reason: told });
  switch (reason) {
    case "end":
      return stop(refused ? "refusal" : "end");
    case "stop-sequence":
      return refused ? stop("refusal") : { raw: null, sequence, reason };
    // One word for a model that will not answer and for a filter that will not let it.
    case "filter":
      return stop("refusal");
    // No word for what nobody knows; this one says that something may be missing.
    case "unknown":
      return stop(refused ? "refusal" : "length");
    default:
      return stop(reason);
  }
}

function heardInResponses({ parts, stop, usage }: Reply, head = HEAD): Reply {
  const said = parts.filter(part => part.kind !== "foreign");
  const heard = said.map((part, place) => heardItem(part, `rs_${head.id}_${place}`));
  const refused = heard.some(({ kind }) => kind === "refusal");
  if (stop.reason === "refusal" && !refused) heard.push({ kind: "refusal", text: REFUSAL_TEXT });
  return {
    ...headOf("responses", head),
    parts: heard,
    stop: { raw: null, sequence: null, reason: responsesReason(stop.reason, heard) },
    usage: withoutTimes(usage),
  };
}

function heardItem(part: ReplyPart, id: string): ReplyPart {
  switch (part.kind) {
    case "text":
      return { ...part, citations: part.citations.map(titled) };
    case "reasoning":
      // Items are named after the answer, so that nobody sees what its maker called them.
      return part.seal === null ? part : { ...part, seal: { ...carried(part.seal, "responses"), id } };
    default:
      return part;
  }
}

/** A citation has a title here, and no quotation. */
function titled({ url, title }: Citation): Citation {
  return { url, title: title ?? url, quote: null };
}

function responsesReason(reason: StopReason, parts: readonly ReplyPart[]): StopReason {
  const refused = parts.some(({ kind }) => kind === "refusal");
  switch (reason) {
    case "end":
    case "stop-sequence":
      return refused ? "refusal" : "end";
    // It is an end like others, and its part says what it is; a call beside it is one, too.
    case "refusal":
      return parts.some(({ kind }) => kind === "tool-call") ? "tool-calls" : "refusal";
    case "context-full":
      return "length";
    case "pause":
      return "unknown";
    default:
      return reason;
  }
}

/** One maker's seal in another's field. */
function carried(seal: Seal, dialect: Dialect): Seal {
  if (seal.origin === dialect) return seal;
  const kind = dialect === "responses" ? "ciphertext" : "signature";
  return { origin: dialect, kind, value: carrySeal(seal), id: null };
}

/** OpenAI's dialects count what is written to the cache, but not for how long. */
function withoutTimes(usage: Usage | null): Usage | null {
  if (usage === null) return null;
  const { cacheWrite5m, cacheWrite1h } = usage;
  return { ...usage, cacheWrite5m: cacheWrite5m + cacheWrite1h, cacheWrite1h: 0 };
}

function textsOf(parts: readonly ReplyPart[], kind: "refusal" | "reasoning"): string[] {
  return parts.flatMap(part => (part.kind === kind && part.text !== "" ? [part.text] : []));
}

/** As its reader found it, but for the dialect's own word for the reason of the end, and the spelling of JSON. */
export function unworded(reply: Reply | null): Reply | null {
  if (reply === null) return null;
  return { ...reply, parts: reply.parts.map(respelled), stop: { ...reply.stop, raw: null } };
}

/** Where arguments are an object, their white space and escapes are whoever wrote them last. */
function respelled(part: ReplyPart): ReplyPart {
  if (part.kind !== "tool-call" || part.tool !== "function") return part;
  try {
    return { ...part, input: JSON.stringify(JSON.parse(part.input)) };
  } catch {
    return part;
  }
}

/**
 * A stream of chat tells in which order things were said, and its whole answer does not: where one of the two is chat,
 * they are compared as the one message that they are.
 */
export function asOneMessage(reply: Reply | null): Reply | null {
  if (reply === null) return null;
  const { parts } = reply;
  const texts = parts.filter(part => part.kind === "text");
  const thoughts = parts.filter(part => part.kind === "reasoning");
  const [first] = thoughts;
  const seal = first === undefined || first.seal === null ? null : { ...first.seal, id: null };
  const refusal = textsOf(parts, "refusal").join("");
  const joined: ReplyPart[] = [
    // Between two thoughts there is a blank line, or two where both sides put one.
    {
      kind: "reasoning",
      text: thoughts
        .map(part => part.text)
        .join("")
        .replaceAll("\n\n", ""),
      seal,
    },
    {
      kind: "text",
      text: texts.map(part => part.text).join(""),
      citations: texts.flatMap(part => part.citations),
      cache: null,
    },
    { kind: "refusal", text: refusal },
    ...parts.filter(part => part.kind === "tool-call"),
  ];
  return { ...reply, parts: joined };
}
