import type { Protocol } from "../protocol.ts";

/** What is needed of an operation to pass it on: its request, its stream, its whole answer. */
export type Endpoint = Pick<Protocol, "readRequest" | "writeRequest" | "tap" | "readWhole">;
