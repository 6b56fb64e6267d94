import type { Seal } from "../../domain/chat.ts";

/** A seal of this dialect; its makers have no ids for them. */
export function ownSeal(kind: Seal["kind"], value: string): Seal {
  return { origin: "messages", kind, value, id: null };
}
