import { timingSafeEqual } from "node:crypto";
import type { Id } from "../../domain/ids.ts";
import type { OidcRefusal } from "../../store/oidc-identities.ts";
import { byOf } from "../control.ts";
import type { OidcPerson } from "../sign-in/oidc.ts";
import { type OidcService, oidcService } from "../sign-in/oidc-service.ts";
import { beginSession, presentedSession, RECENT_MS } from "../sign-in/session.ts";
import { addressOwner, throttle, throttleOf } from "../sign-in/throttle.ts";
import { beginStep, type FoundStep, findStep } from "../sign-in/ticket.ts";
import { newToken, tokenHash } from "../sign-in/token.ts";
import { readCookie } from "./cookie.ts";
import { ConsoleProblem } from "./problem.ts";
import { afterPassword } from "./sign-in-answer.ts";
import type { Handlers, Visit } from "./visit.ts";

/** Whoever has this cookie began the sign-in; Lax, because the browser comes back from another site. */
const FLOW_COOKIE = "__Host-wicketgate-oidc";
const FLOW_MS = 600_000;
const COOKIE_ENDS = `${FLOW_COOKIE}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`;

/** Loaded where the house has such a service. */
const library = () => import("../sign-in/oidc.ts");

/** What the sign-in page says in a sentence. */
export type OidcProblem = OidcRefusal | "off" | "expired" | "cancelled" | "unavailable" | "throttled";

export const oidcHandlers = {
  "GET /sign-in/oidc": async (visit, { query }) => {
    const { desk, nowMs } = visit;
    const service = oidcService(desk);
    if (service === null) return problemPage(visit, "off");
    if (await isTooMuch(visit)) return problemPage(visit, "throttled");
    const session = isOwnClick(visit.request) ? await presentedSession(visit) : null;
    const browser = newToken(desk.randomBytes);
    const [verifier, nonce] = [newToken(desk.randomBytes).token, newToken(desk.randomBytes).token];
    const isRecent = session !== null && nowMs - session.provedAtMs < RECENT_MS;
    const here = { signedInAs: session?.accountId ?? null, sessionId: session?.id ?? null, isRecent };
    const payload = { verifier, nonce, browser: browser.hash, ...here, back: safePath(query.return) };
    const state = await beginStep(visit, { kind: "oidc", accountId: null, payload, msMax: FLOW_MS });
    const start = {
      verifier,
      nonce,
      state,
      redirectUri: redirectUri(visit),
      isAgain: session !== null,
      nowMs,
    };
    const { oidcAddress } = await library();
    const address = await oidcAddress(service, start).catch(error => unreachable(visit, error));
    if (address === null) return problemPage(visit, "unavailable");
    const cookie = `${FLOW_COOKIE}=${browser.token}; Path=/; Max-Age=${FLOW_MS / 1000}; Secure; HttpOnly; SameSite=Lax`;
    return redirect(address.href, [cookie]);
  },

  "GET /sign-in/oidc/callback": async visit => {
    const service = oidcService(visit.desk);
    if (service === null) return problemPage(visit, "off");
    if (await isTooMuch(visit)) return problemPage(visit, "throttled");
    const { searchParams } = new URL(visit.request.url);
    const state = searchParams.get("state") ?? "";
    const flow = await takeFlow(visit, state);
    if (flow === null) return problemPage(visit, "expired");
    const refused = searchParams.get("error");
    if (refused !== null) {
      unreachable(visit, refused);
      return problemPage(visit, "cancelled");
    }
    const person = await arrived(visit, { service, state, flow }).catch(error => unreachable(visit, error));
    return person === null ? problemPage(visit, "unavailable") : letIn(visit, person, flow);
  },

  "DELETE /account/oidc": async ({ desk, visitor, control }) => {
    await desk.store.run("oidc.disconnect", { accountId: visitor.id, by: byOf(control) });
    return { done: true };
  },
} satisfies Pick<Handlers, "GET /sign-in/oidc" | "GET /sign-in/oidc/callback" | "DELETE /account/oidc">;

type Flow = {
  verifier: string;
  nonce: string;
  signedInAs: Id<"acc"> | null;
  sessionId: Id<"ses"> | null;
  isRecent: boolean;
  back: string;
};

/** Used up by this, and only in the browser where it began. */
async function takeFlow(visit: Visit, state: string): Promise<Flow | null> {
  const found = await findStep(visit, { token: state, kind: "oidc" });
  if (found === null || !beganHere(visit, found)) return null;
  const { desk, nowMs } = visit;
  const taken = await desk.store.run("ticket.use", { hash: found.hash, kinds: ["oidc"], nowMs });
  return taken === null ? null : (found.payload as Flow);
}

function beganHere({ request }: Visit, { payload }: FoundStep): boolean {
  const given = tokenHash(readCookie(request, FLOW_COOKIE) ?? "");
  const kept = String(payload["browser"]);
  return given.length === kept.length && timingSafeEqual(Buffer.from(given), Buffer.from(kept));
}

/** A link on another site must not begin anything for whoever is signed in here. */
function isOwnClick(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  return site === null || site === "same-origin" || site === "none";
}

async function isTooMuch(visit: Visit): Promise<boolean> {
  try {
    await throttle(visit, throttleOf("oidc", addressOwner(visit.address)));
    return false;
  } catch (error) {
    if (error instanceof ConsoleProblem && error.code === "throttled") return true;
    throw error;
  }
}

async function arrived(
  visit: Visit,
  { service, state, flow }: { service: OidcService; state: string; flow: Flow },
): Promise<OidcPerson> {
  const back = new URL(redirectUri(visit) + new URL(visit.request.url).search);
  const { verifier, nonce } = flow;
  const { oidcPerson } = await library();
  return oidcPerson(service, { verifier, nonce, state, back, nowMs: visit.nowMs });
}

/** Connecting is for whoever proved lately who they are; any other finds their account by the identity. */
async function letIn(visit: Visit, arrival: OidcPerson, flow: Flow): Promise<Response> {
  const { desk, nowMs } = visit;
  const { provedAtMs, ...identity } = arrival;
  const { registration, registrationBalance } = desk.settings();
  const outcome = await desk.store.run("oidc.arrive", {
    ...identity,
    name: identity.name.slice(0, 100),
    signedInAs: flow.isRecent ? flow.signedInAs : null,
    openingBalance: registration === "open" ? registrationBalance : null,
    accountId: desk.newId("acc"),
    ledgerId: desk.newId("led"),
    by: byOf(visit.control),
  });
  if ("refused" in outcome) return problemPage(visit, outcome.refused);
  const { person } = outcome;
  if (person.profile.totp !== null) {
    const step = await afterPassword(visit, person);
    const ticket = "ticket" in step ? step.ticket : "";
    const back = flow.back === "/" ? "" : `&return=${encodeURIComponent(flow.back)}`;
    return redirect(`${visit.root}/console/sign-in#second_factor=${ticket}${back}`, [COOKIE_ENDS]);
  }
  const proof = { provedAtMs: Math.min(provedAtMs ?? nowMs, nowMs) };
  const cookie = await beginSession(visit, person.account.id, proof);
  // The browser did not send the session that it had, because it comes from another site.
  if (flow.signedInAs !== null && flow.sessionId !== null) {
    await desk.store.run("session.end", { accountId: flow.signedInAs, id: flow.sessionId, nowMs });
  }
  return redirect(`${visit.root}/console${flow.back}`, [COOKIE_ENDS, cookie]);
}

function unreachable({ desk, requestId }: Visit, error: unknown): null {
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  desk.log("warn", "console.oidc_failed", { request: requestId, why: why.slice(0, 300) });
  return null;
}

function redirectUri({ root }: Visit): string {
  return `${root}/console/api/sign-in/oidc/callback`;
}

/** A path of the console, whatever was asked for. */
function safePath(asked: string | undefined): string {
  return asked !== undefined && /^\/(?![/\\])[\x21-\x7e]*$/.test(asked) && !asked.includes("\\")
    ? asked
    : "/";
}

function problemPage({ root }: Visit, problem: OidcProblem): Response {
  return redirect(`${root}/console/sign-in#problem=${problem}`, [COOKIE_ENDS]);
}

function redirect(location: string, cookies: readonly string[]): Response {
  const headers = new Headers({ location });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(null, { status: 303, headers });
}
