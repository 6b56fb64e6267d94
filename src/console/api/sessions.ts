import { balanceIsLow } from "../../domain/account.ts";
import { formatUsd } from "../../domain/money.ts";
import type { Person } from "../../store/profiles.ts";
import type { Calls } from "../contract/contract.ts";
import { RECENT_MS, SESSION_MS } from "../sign-in/session.ts";
import { agentName } from "../sign-in/session-agent.ts";
import { noSessionCookie } from "./cookie.ts";
import { ConsoleProblem } from "./problem.ts";
import type { Handler, Handlers, SignedIn } from "./visit.ts";

type SessionView = Calls["GET /session"]["answer"];

/** Who is signed in, as the page shows it. */
export async function sessionView(visit: SignedIn): Promise<SessionView> {
  const { desk, visitor, nowMs } = visit;
  const [person, sessions] = await Promise.all([
    desk.store.run("person.read", { id: visitor.id }),
    desk.store.run("session.list", { accountId: visitor.id, nowMs }),
  ]);
  const session = sessions.find(({ id }) => id === visitor.sessionId);
  if (person === null || session === undefined) {
    throw new ConsoleProblem("not_signed_in", "You are not signed in any more. Sign in again.");
  }
  const { account, profile } = person;
  return {
    account: {
      id: account.id,
      email: account.email,
      name: profile.name,
      role: account.role,
      language: profile.language,
      theme: profile.theme,
      balance_usd: formatUsd(account.balance),
      balance_is_low: balanceIsLow(account, profile.lowBalance),
    },
    signed_in_at: time(session.signedInAtMs),
    recent_until: time(session.provedAtMs + RECENT_MS),
    expires_at: time(session.seenAtMs + SESSION_MS),
    proofs: proofsOf(person),
  };
}

function proofsOf({ profile, passkeys, oidcIdentities }: Person): SessionView["proofs"] {
  const has = {
    password: profile.passwordHash !== null,
    totp: profile.totp !== null,
    passkey: passkeys > 0,
    oidc: oidcIdentities > 0,
  };
  return (["password", "totp", "passkey", "oidc"] as const).filter(proof => has[proof]);
}

const signOut: Handler<"DELETE /session"> = async ({ desk, visitor, nowMs }) => {
  await desk.store.run("session.end", { accountId: visitor.id, id: visitor.sessionId ?? "", nowMs });
  return Response.json({ done: true }, { headers: { "set-cookie": noSessionCookie() } });
};

const list: Handler<"GET /sessions"> = async ({ desk, visitor, nowMs }) => {
  const sessions = await desk.store.run("session.list", { accountId: visitor.id, nowMs });
  return {
    sessions: sessions.map(session => ({
      id: session.id,
      is_this: session.id === visitor.sessionId,
      signed_in_at: time(session.signedInAtMs),
      seen_at: time(session.seenAtMs),
      address: session.address,
      agent: agentName(session.agent),
    })),
  };
};

const endOne: Handler<"DELETE /sessions/{id}"> = async (visit, { params }) => {
  const { desk, visitor, nowMs } = visit;
  const isEnded = await desk.store.run("session.end", { accountId: visitor.id, id: params.id, nowMs });
  if (!isEnded) throw new ConsoleProblem("not_found", "There is no such session, or it is over already.");
  const isThis = params.id === visitor.sessionId;
  return Response.json({ done: true }, isThis ? { headers: { "set-cookie": noSessionCookie() } } : {});
};

const endOthers: Handler<"DELETE /sessions"> = async ({ desk, visitor, nowMs }) => {
  await desk.store.run("sessions.end", { accountId: visitor.id, except: visitor.sessionId, nowMs });
  return { done: true };
};

function time(ms: number): string {
  return new Date(ms).toISOString();
}

export const sessionHandlers = {
  "GET /session": sessionView,
  "DELETE /session": signOut,
  "GET /sessions": list,
  "DELETE /sessions": endOthers,
  "DELETE /sessions/{id}": endOne,
} satisfies Partial<Handlers>;
