import { KEY_PREFIX } from "../../domain/key-string.ts";
import { operatorTokenProblem, TOKEN_PREFIX } from "../../domain/operator-token.ts";
import type { TokenHolder } from "../../store/tokens.ts";
import type { Name } from "../contract/contract.ts";
import type { Access } from "../contract/endpoint.ts";
import { presentedToken } from "../tokens.ts";
import { ConsoleProblem } from "./problem.ts";
import type { SignedIn, Visit } from "./visit.ts";

const BEARER = /^bearer +(\S+) *$/i;
const OURS = [TOKEN_PREFIX, KEY_PREFIX];

/** What is about how people get in is for people: a token that leaked must not open a door that outlives it. */
const FOR_PEOPLE =
  /^\w+ \/(sign-in|session|sessions|links|register|account\/(password|totp|passkeys|oidc))(\/|$)/;
const ALSO_FOR_PEOPLE: ReadonlySet<Name> = new Set<Name>(["POST /operator/tokens"]);

export function isForPeople(name: Name): boolean {
  return FOR_PEOPLE.test(name) || ALSO_FOR_PEOPLE.has(name);
}

/**
 * The operator token of a call, or null. Whoever sends one is no page that a browser was lured to, and its cookie is not
 * looked at. What a proxy before us puts into this header is none of ours.
 */
export function bearerOf(request: Request): string | null {
  const string = BEARER.exec(request.headers.get("authorization") ?? "")?.[1];
  return string !== undefined && OURS.some(prefix => string.startsWith(prefix)) ? string : null;
}

export type AskedByToken = { string: string; name: Name; access: Access };

/** Who calls by a token, as far as its scope goes. */
export async function admittedByToken(visit: Visit, asked: AskedByToken): Promise<SignedIn> {
  const holder = await demandToken(visit, asked.string);
  demandScope(holder, asked);
  const { accountId: id, email, role, scope, name } = holder;
  const provedAtMs = scope === "write-all" ? visit.nowMs : 0;
  const visitor = { id, email, role, sessionId: null, provedAtMs, token: { name, scope } };
  const control = { ...visit.control, actor: `${email} (token ${name})`, through: "token" as const };
  return { ...visit, control, visitor };
}

async function demandToken({ desk, nowMs }: Visit, string: string): Promise<TokenHolder> {
  const problem = operatorTokenProblem(string);
  if (problem !== null) throw refused(`The Authorization header holds no operator token: ${problem}.`);
  const holder = await presentedToken(desk, { string, nowMs });
  if (holder === null || !holder.enabled || holder.role !== "operator") {
    throw refused("This operator token is not known here, or was ended. Make a new one in the console.");
  }
  if (holder.expiresAtMs > nowMs) return holder;
  const when = new Date(holder.expiresAtMs).toISOString();
  throw refused(`This operator token expired at ${when}. Make a new one in the console.`);
}

function demandScope({ scope }: TokenHolder, { name, access }: AskedByToken): void {
  if (isForPeople(name)) {
    throw new ConsoleProblem("not_allowed", "No token may do this: sign in to the console for it.");
  }
  const isReading = name.startsWith("GET ");
  if (scope === "read" && !isReading) {
    throw new ConsoleProblem("not_allowed", "This token may only read. Make one with the scope write.");
  }
  if (scope !== "write-all" && (access === "recent" || access === "operator-recent")) throw needsAll();
}

/** For what a person would have to prove again who they are. */
export function needsAll(): ConsoleProblem {
  return new ConsoleProblem(
    "not_allowed",
    "This asks a person to confirm who they are, so a token needs the scope write-all for it.",
  );
}

function refused(message: string): ConsoleProblem {
  return new ConsoleProblem("not_signed_in", message);
}
