import type { Id } from "../../domain/ids.ts";
import type { Ticket } from "../../store/tickets.ts";
import type { Visit } from "../api/visit.ts";
import { newToken, tokenHash } from "./token.ts";

/** What is half done in a browser: it has the token, the database what belongs to it. */
export const STEP_MS = 300_000;

export type Step = "second_factor" | "totp" | "passkey_add" | "passkey_sign_in" | "passkey_confirm" | "oidc";

export type NewStep = { kind: Step; accountId: Id<"acc"> | null; payload?: object; msMax?: number };

/** Gives the token. */
export async function beginStep({ desk, nowMs }: Visit, step: NewStep): Promise<string> {
  const { token, hash } = newToken(desk.randomBytes);
  const { kind, accountId, payload = {}, msMax = STEP_MS } = step;
  await desk.store.run("ticket.make", {
    id: desk.newId("tkt"),
    hash,
    kind,
    accountId,
    email: null,
    role: null,
    payload: JSON.stringify(payload),
    madeBy: "console",
    expiresAtMs: nowMs + msMax,
    nowMs,
  });
  return token;
}

export type FoundStep = { hash: string; accountId: Ticket["accountId"]; payload: Record<string, unknown> };

/** Null where it has run out, or was done. It stays as it is. */
export async function findStep(
  { desk, nowMs }: Visit,
  { token, kind }: { token: string; kind: Step },
): Promise<FoundStep | null> {
  const hash = tokenHash(token);
  const ticket = await desk.store.run("ticket.look", { hash, kinds: [kind], nowMs });
  if (ticket === null) return null;
  const payload = JSON.parse(ticket.payload) as Record<string, unknown>;
  return { hash, accountId: ticket.accountId, payload };
}
