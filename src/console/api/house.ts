import { mailServer } from "../../domain/settings-house.ts";
import { oidcService } from "../sign-in/oidc-service.ts";
import { addressOwner, throttle, throttleOf } from "../sign-in/throttle.ts";
import { readText } from "./app-body.ts";
import { openApiDocument } from "./openapi.ts";
import { ConsoleProblem } from "./problem.ts";
import type { Handler, Handlers } from "./visit.ts";

const REPORT_CHARACTERS_MAX = 300;

const house: Handler<"GET /house"> = async ({ desk, root }) => {
  const settings = desk.settings();
  const { name, language, accent, logo, passkeys } = settings;
  return {
    name,
    version: desk.version,
    openai_base_url: `${root}/v1`,
    messages_address: root,
    registration: settings.registration === "open",
    needs_setup: await desk.store.run("setup.needed", {}),
    oidc: oidcService(desk)?.name ?? null,
    sealed_copies: settings.sealedCopies,
    password_sign_in: settings.passwordSignIn,
    passkeys,
    mail: mailServer(settings) !== null,
    language,
    accent,
    logo: logo === null ? null : `/console/api/house/logo?v=${logo.hash}`,
  };
};

const FOR_EVER = "public, max-age=31536000, immutable";

/** Its type is what its bytes are, and nothing in it is ever run. */
const logo: Handler<"GET /house/logo"> = async ({ desk }, { query }) => {
  const kept = desk.settings().logo;
  if (kept === null) throw new ConsoleProblem("not_found", "This house has no picture of its own.");
  const headers = {
    "content-type": kept.type,
    "content-disposition": "inline",
    "x-content-type-options": "nosniff",
    "cache-control": query.v === kept.hash ? FOR_EVER : "no-store",
  };
  return new Response(new Uint8Array(kept.bytes), { headers });
};

/** One bounded line of the log for each: what was stopped, and where; a sample of the script is left out. */
const cspReport: Handler<"POST /csp-report"> = async visit => {
  await throttle(visit, throttleOf("csp report", addressOwner(visit.address)));
  const reported = firstReport(await readText(visit.request));
  const field = (...names: string[]) => {
    const value = names.map(name => reported[name]).find(found => typeof found === "string");
    return typeof value === "string" ? value.slice(0, REPORT_CHARACTERS_MAX) : null;
  };
  visit.desk.log("warn", "console.csp_report", {
    request: visit.requestId,
    directive: field("effectiveDirective", "effective-directive", "violated-directive"),
    blocked: withoutQuery(field("blockedURL", "blocked-uri")),
    page: withoutQuery(field("documentURL", "document-uri")),
  });
  return new Response(null, { status: 204 });
};

/** Browsers send `{"csp-report": {…}}`, or a list of `{type, body}`. */
function firstReport(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    const one: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    if (!isObject(one)) return {};
    const inner = one["csp-report"] ?? one["body"];
    return isObject(inner) ? inner : {};
  } catch {
    return {};
  }
}

/** What stands behind a ? or # may be anybody's secret. */
function withoutQuery(url: string | null): string | null {
  return url?.replace(/[?#].*$/s, "") ?? null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const houseHandlers = {
  "GET /house": house,
  "GET /house/logo": logo,
  "GET /openapi.json": openApiDocument,
  "POST /csp-report": cspReport,
} satisfies Partial<Handlers>;
