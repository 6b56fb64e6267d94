import type { Name } from "../contract/contract.ts";
import type { Access } from "../contract/endpoint.ts";
import { presentedSession, RECENT_MS } from "../sign-in/session.ts";
import { admittedByToken, bearerOf, needsAll } from "./access-token.ts";
import { ConsoleProblem } from "./problem.ts";
import type { SignedIn, Visit } from "./visit.ts";

type Asked = { name: Name; access: Access };

/** The one place that decides who may call what. What it does not know, nobody may. */
export async function admitted(visit: Visit, { name, access }: Asked): Promise<Visit | SignedIn> {
  if (access === "open") return visit;
  const string = bearerOf(visit.request);
  const signedIn =
    string === null ? await demandSession(visit) : await admittedByToken(visit, { string, name, access });
  switch (access) {
    case "session":
      return signedIn;
    case "recent":
      return demandRecent(signedIn);
    case "operator":
      return demandOperator(signedIn);
    case "operator-recent":
      return demandRecent(demandOperator(signedIn));
    default:
      throw new ConsoleProblem("not_allowed", "Nobody may do this.");
  }
}

async function demandSession(visit: Visit): Promise<SignedIn> {
  const session = await presentedSession(visit);
  if (session === null) {
    throw new ConsoleProblem("not_signed_in", "You are not signed in, or no longer. Sign in and try again.");
  }
  const { accountId, email, role, id, provedAtMs } = session;
  const visitor = { id: accountId, email, role, sessionId: id, provedAtMs, token: null };
  return { ...visit, control: { ...visit.control, actor: email }, visitor };
}

/** Also for a handler that needs it in some cases only. */
export function demandRecent(visit: SignedIn): SignedIn {
  if (visit.nowMs - visit.visitor.provedAtMs < RECENT_MS) return visit;
  if (visit.visitor.token !== null) throw needsAll();
  throw new ConsoleProblem("recent_sign_in_needed", "Confirm that it is you, and this goes on.");
}

function demandOperator(visit: SignedIn): SignedIn {
  if (visit.visitor.role === "operator") return visit;
  throw new ConsoleProblem("not_allowed", "Only an operator may do this.");
}
