import type { Id } from "./ids.ts";
import type { Limits, Meters } from "./limits.ts";
import type { Nanos } from "./money.ts";

export type ApiKey = Limits &
  Meters & {
    id: Id<"key">;
    accountId: Id<"acc">;
    groupId: Id<"grp">;
    name: string;
    /** What may be shown of the string: its first and last characters. */
    preview: string;
    enabled: boolean;
    deletedAtMs: number | null;
    expiresAtMs: number | null;
    quota: Nanos | null;
    spent: Nanos;
    held: Nanos;
  };

export type KeyState = "active" | "disabled" | "expired" | "deleted";

/** By the clock, so that no job has to run when an expiry passes. */
export function keyState(
  key: Pick<ApiKey, "enabled" | "deletedAtMs" | "expiresAtMs">,
  nowMs: number,
): KeyState {
  if (key.deletedAtMs !== null) return "deleted";
  if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) return "expired";
  return key.enabled ? "active" : "disabled";
}
