import type { Dialect } from "../src/domain/usage.ts";

/** A conversation with the gateway as a client of one dialect has it, told in words that all of them share. */

export type Way = "whole" | "stream";
export const WAYS: readonly Way[] = ["whole", "stream"];
export const DIALECTS: readonly Dialect[] = ["chat", "responses", "messages"];

export type ToolSpec = { name: string; schema: Record<string, unknown> };

export type Ask = {
  model: string;
  tools?: readonly ToolSpec[];
  thinks?: boolean;
  schema?: Record<string, unknown>;
  stops?: readonly string[];
  outputTokens?: number;
  /** Any tool, none, or the one that is named. */
  choice?: "required" | "none" | { name: string };
  oneAtATime?: boolean;
};

export type Call = { id: string; name: string; input: unknown };

/** `stop` is the dialect's own word; `usage` is told apart as the gateway keeps it. */
export type Told = {
  id: string;
  model: string;
  text: string;
  thought: string;
  /** What the maker of the thought wants back. */
  seals: string[];
  refusal: string;
  calls: Call[];
  stop: string;
  sequence: string | null;
  usage: Counts;
  requestId: string;
};

export type Counts = {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
};

export type Result = { id: string; text: string; failed?: boolean; image?: string };

/** What is said with a text: an image by its address, a PDF as base64. */
export type Beside = { image?: string; document?: string; marked?: boolean };

export type Talk = {
  dialect: Dialect;
  instruct: (text: string) => void;
  /** With `marked` the provider is asked to keep what comes up to here. */
  say: (text: string, more?: Beside) => void;
  answer: (results: readonly Result[]) => void;
  /** What is heard becomes part of the conversation. */
  hear: (ask: Ask, way: Way) => Promise<Told>;
};

export type TalkOptions = { url: string; key: string };

/** As a data URL. */
export const IMAGE_DATA =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const IMAGE_DATA_URL = `data:image/png;base64,${IMAGE_DATA}`;
export const PDF_DATA = Buffer.from("%PDF-1.4 nothing to see").toString("base64");
export const IMAGE_URL = "https://example.org/cat.png";

/** The SDKs' stream helpers do not tell the id of the request, so it is read where they fetch. */
export function watchedFetch(): { fetch: typeof globalThis.fetch; requestId: () => string } {
  let requestId = "";
  const watched = async (...given: Parameters<typeof globalThis.fetch>) => {
    const response = await globalThis.fetch(...given);
    requestId = response.headers.get("x-request-id") ?? "";
    return response;
  };
  return {
    fetch: Object.assign(watched, { preconnect: globalThis.fetch.preconnect }),
    requestId: () => requestId,
  };
}

/** Arguments that were cut short are no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
