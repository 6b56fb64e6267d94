import type { Seal } from "../domain/chat.ts";
import type { Dialect } from "../domain/usage.ts";

/** No maker begins so. */
export const SEAL_PREFIX = "wgs1.";
const ORIGINS: readonly Dialect[] = ["chat", "responses", "messages"];

/**
 * A seal in a field of another dialect. The client keeps it with the rest of the conversation and brings it back, so the
 * maker gets its own again without anybody having stored it here.
 */
export function carrySeal({ origin, kind, value, id }: Seal): string {
  return SEAL_PREFIX + Buffer.from(JSON.stringify([origin, kind, value, id])).toString("base64url");
}

/** Null where it is not one of ours: then it is the dialect's own. */
export function carriedSeal(text: string): Seal | null {
  if (!text.startsWith(SEAL_PREFIX)) return null;
  const [origin, kind, value, id] = parsed(text.slice(SEAL_PREFIX.length));
  const known = ORIGINS.find(name => name === origin);
  if (known === undefined || typeof value !== "string") return null;
  if (kind !== "signature" && kind !== "ciphertext") return null;
  return { origin: known, kind, value, id: typeof id === "string" ? id : null };
}

function parsed(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
