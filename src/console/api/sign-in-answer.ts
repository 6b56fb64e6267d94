import type { z } from "zod";
import type { Id } from "../../domain/ids.ts";
import type { Person } from "../../store/profiles.ts";
import type { signInStep } from "../contract/sign-in.ts";
import { beginSession } from "../sign-in/session.ts";
import { newToken } from "../sign-in/token.ts";
import type { Visit } from "./visit.ts";

type Step = z.output<typeof signInStep>;

const SECOND_STEP_MS = 5 * 60_000;

/** Signed in: the answer that carries the cookie. */
export async function signedIn(visit: Visit, accountId: Id<"acc">): Promise<Response> {
  const cookie = await beginSession(visit, accountId);
  const step: Step = { next: "done" };
  return Response.json(step, { headers: { "set-cookie": cookie } });
}

/** The password was right: signed in, or asked for the second factor where it is on. */
export async function afterPassword(visit: Visit, { account, profile }: Person): Promise<Response | Step> {
  if (profile.totp === null) return signedIn(visit, account.id);
  const { desk, nowMs } = visit;
  const { token, hash } = newToken(desk.randomBytes);
  await desk.store.run("ticket.make", {
    id: desk.newId("tkt"),
    hash,
    kind: "second_factor",
    accountId: account.id,
    email: null,
    role: null,
    payload: "{}",
    madeBy: "sign-in",
    nowMs,
    expiresAtMs: nowMs + SECOND_STEP_MS,
  });
  return { next: "second_factor", ticket: token };
}
