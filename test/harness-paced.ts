import {
  chatCompletion,
  chatEvent,
  DONE,
  type MockUpstream,
  mockUpstream,
  usageOf,
} from "./harness-upstream.ts";

/**
 * An upstream that speaks at a steady pace and keeps a journal of its own: what it was called with, and how many
 * tokens it had sent by when. The name of a call and the length of its answer stand in its message.
 */

/** A token is four letters here, which is also what is guessed where nobody counts. */
const TOKEN = "abc ";
export const TOKENS_PER_EVENT = 8;
const EVENT = chatEvent({ content: TOKEN.repeat(TOKENS_PER_EVENT) });
const EVENT_MS = 40;
export const PROMPT_TOKENS = 5;
/** One token of an answer that does not stream. */
const QUICK_TOKENS = 1;

export type PacedCall = {
  name: string;
  stream: boolean;
  calledTick: number;
  /** When each event had been taken by the socket. */
  sentTicks: number[];
  /** All events that it was to send are sent. */
  isWhole: boolean;
};

export type PacedUpstream = { upstream: MockUpstream; journal: Map<string, PacedCall> };

export function callMessage(name: string, events: number): string {
  return `${name} ${events}`;
}

export function sentBy({ sentTicks }: PacedCall, tick: number): number {
  return sentTicks.filter(sent => sent <= tick).length * TOKENS_PER_EVENT;
}

export async function pacedUpstream(): Promise<PacedUpstream> {
  const journal = new Map<string, PacedCall>();
  const upstream = await mockUpstream(async exchange => {
    const calledTick = performance.now();
    const { messages, stream } = exchange.body as { messages: { content: string }[]; stream?: boolean };
    const [name = "", events = "0"] = (messages[0]?.content ?? "").split(" ");
    const call: PacedCall = { name, stream: stream === true, calledTick, sentTicks: [], isWhole: false };
    if (journal.has(name)) throw new Error(`${name} was called twice`);
    journal.set(name, call);
    if (!call.stream) {
      call.isWhole = true;
      return exchange.reply(200, chatCompletion("Hi", usageOf(PROMPT_TOKENS, QUICK_TOKENS)));
    }
    await exchange.begin();
    for (let at = 0; at < Number(events) && exchange.isOpen; at++) {
      await exchange.piece(EVENT);
      if (exchange.isOpen) call.sentTicks.push(performance.now());
      await Bun.sleep(EVENT_MS);
    }
    if (!exchange.isOpen) return;
    call.isWhole = true;
    const usage = usageOf(PROMPT_TOKENS, Number(events) * TOKENS_PER_EVENT);
    await exchange.piece(chatEvent({ finish: "stop" }) + chatEvent({ usage }) + DONE);
    await exchange.end();
  });
  return { upstream, journal };
}

/** How many tokens are in what a client got. */
export function tokensIn(text: string): number {
  return text.split(EVENT.trimEnd()).length * TOKENS_PER_EVENT - TOKENS_PER_EVENT;
}
