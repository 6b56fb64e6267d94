import type { Id } from "../../domain/ids.ts";

/** From the event loop to the owner of a connection. A batch is a string instead. */
export type ToOwner =
  | { kind: "open"; file: string; bootId: Id<"boot">; readOnly: boolean }
  | { kind: "call"; call: number; name: string; args: unknown }
  | { kind: "recover"; call: number; bootIds: readonly Id<"boot">[] }
  | { kind: "close"; call: number };

/** From it back. A batch answers by a string instead: its answers as JSON, or `failed:` and why. */
export type FromOwner =
  | { kind: "opened" }
  | { kind: "broken"; message: string }
  | { kind: "result"; call: number; value: unknown }
  | { kind: "problem"; call: number; message: string; known: boolean; field?: string | null };

export const FAILED = "failed:";
