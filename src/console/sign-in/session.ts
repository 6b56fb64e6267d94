import type { Id } from "../../domain/ids.ts";
import type { SessionHolder } from "../../store/sessions.ts";
import { readCookie, SESSION_COOKIE, sessionCookie } from "../api/cookie.ts";
import { demandSafePlace } from "../api/guard.ts";
import type { Visit } from "../api/visit.ts";
import { newToken, tokenHash } from "./token.ts";

/** Unused for so long, a session is over. */
export const SESSION_MS = 30 * 86_400_000;
/** For so long after a proof, nothing is asked again. */
export const RECENT_MS = 15 * 60_000;
const SEEN_EVERY_MS = 60_000;
const AGENT_CHARACTERS_MAX = 300;
const TOKEN_PATTERN = /^[\w-]{43}$/;

/** A fresh session, whatever the browser had before; gives the cookie for it. */
export async function beginSession(
  visit: Visit,
  accountId: Id<"acc">,
  { provedAtMs = visit.nowMs }: { provedAtMs?: number } = {},
): Promise<string> {
  const { desk, request, root, address, nowMs } = visit;
  demandSafePlace(request, root);
  const { token, hash } = newToken(desk.randomBytes);
  await desk.store.run("session.open", {
    id: desk.newId("ses"),
    hash,
    accountId,
    replaces: presentedHash(request),
    provedAtMs,
    expiresAtMs: nowMs + SESSION_MS,
    address,
    agent: (request.headers.get("user-agent") ?? "").slice(0, AGENT_CHARACTERS_MAX),
    nowMs,
  });
  return sessionCookie(token);
}

/** Whose session the browser has, read with the account as it is now. */
export async function presentedSession(visit: Visit): Promise<SessionHolder | null> {
  const { desk, request, address, nowMs } = visit;
  const hash = presentedHash(request);
  const session = hash === null ? null : await desk.store.run("session.read", { hash, nowMs });
  if (session !== null && nowMs - session.seenAtMs >= SEEN_EVERY_MS) {
    const { id } = session;
    await desk.store.run("session.see", { id, expiresAtMs: nowMs + SESSION_MS, address, nowMs });
  }
  return session;
}

function presentedHash(request: Request): string | null {
  const token = readCookie(request, SESSION_COOKIE);
  return token !== null && TOKEN_PATTERN.test(token) ? tokenHash(token) : null;
}
