import type { Operation } from "../domain/usage.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";

/** What the pipeline needs of an operation to pass it on: its request, its stream, its whole answer. */
export type Endpoint = Pick<Protocol, "readRequest" | "writeRequest" | "tap" | "readWhole">;

const { chat, responses, messages } = PROTOCOLS;

export const ENDPOINTS: Readonly<Record<Operation, Endpoint>> = {
  chat,
  responses,
  messages,
  completions: chat,
  embeddings: chat,
  images: chat,
  speech: chat,
  transcriptions: chat,
};
