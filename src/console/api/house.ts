import { addressOwner, throttle, throttleOf } from "../sign-in/throttle.ts";
import { readText } from "./app-body.ts";
import { openApiDocument } from "./openapi.ts";
import type { Handler, Handlers } from "./visit.ts";

const NAME = "Wicketgate";
const REPORT_CHARACTERS_MAX = 300;

const house: Handler<"GET /house"> = async ({ desk, root }) => ({
  name: NAME,
  version: desk.version,
  openai_base_url: `${root}/v1`,
  messages_address: root,
  registration: desk.registration.isOpen,
  needs_setup: await desk.store.run("setup.needed", {}),
  oidc: desk.oidc?.name ?? null,
  sealed_copies: desk.sealedCopies,
});

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
  "GET /openapi.json": openApiDocument,
  "POST /csp-report": cspReport,
} satisfies Partial<Handlers>;
