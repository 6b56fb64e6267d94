import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { endpoints, type Name } from "../src/console/contract/contract.ts";
import type { Endpoint } from "../src/console/contract/endpoint.ts";
import { type Browser, type ConsoleRig, changeDatabase, OPERATOR, startConsole } from "./console-rig.ts";

/** Who gets in where: every route by every role. A route without a row does not compile, and fails. */

const ROLES = ["nobody", "holder", "recent holder", "operator", "recent operator"] as const;
type Role = (typeof ROLES)[number];

const EVERYBODY = "in in in in in";
const SIGNED_IN = "not_signed_in in in in in";
const RECENT = "not_signed_in recent_sign_in_needed in recent_sign_in_needed in";
const OPERATORS = "not_signed_in not_allowed not_allowed in in";
const RECENT_OPERATORS = "not_signed_in not_allowed not_allowed recent_sign_in_needed in";

const ROWS: Record<Name, string> = {
  "GET /house": EVERYBODY,
  "GET /house/logo": EVERYBODY,
  "GET /openapi.json": EVERYBODY,
  "POST /csp-report": EVERYBODY,
  "POST /check": EVERYBODY,
  "POST /sign-in": EVERYBODY,
  "POST /sign-in/second-factor": EVERYBODY,
  "POST /sign-in/passkey/options": EVERYBODY,
  "POST /sign-in/passkey": EVERYBODY,
  "GET /sign-in/oidc": EVERYBODY,
  "GET /sign-in/oidc/callback": EVERYBODY,
  "POST /register": EVERYBODY,
  "POST /sign-in/forgot": EVERYBODY,
  "POST /links/look": EVERYBODY,
  "POST /links/use": EVERYBODY,
  "GET /session": SIGNED_IN,
  "POST /session/passkey/options": SIGNED_IN,
  "POST /session/confirm": SIGNED_IN,
  "GET /sessions": SIGNED_IN,
  "DELETE /sessions/{id}": SIGNED_IN,
  "GET /account": SIGNED_IN,
  "PATCH /account": SIGNED_IN,
  "POST /account/password": RECENT,
  "POST /account/totp": RECENT,
  "POST /account/totp/confirm": RECENT,
  "DELETE /account/totp": RECENT,
  "POST /account/totp/recovery-codes": RECENT,
  "POST /account/passkeys/options": RECENT,
  "POST /account/passkeys": RECENT,
  "DELETE /account/passkeys/{id}": RECENT,
  "DELETE /account/oidc": RECENT,
  "GET /account/ledger": SIGNED_IN,
  "POST /account/redeem": SIGNED_IN,
  "GET /groups": SIGNED_IN,
  "GET /models": SIGNED_IN,
  "GET /keys": SIGNED_IN,
  "POST /keys": SIGNED_IN,
  "GET /keys/{id}": SIGNED_IN,
  "PATCH /keys/{id}": SIGNED_IN,
  "POST /keys/{id}/disable": SIGNED_IN,
  "POST /keys/{id}/enable": SIGNED_IN,
  "POST /keys/{id}/rotate": RECENT,
  "DELETE /keys/{id}": SIGNED_IN,
  "GET /keys/{id}/setup": SIGNED_IN,
  "POST /keys/{id}/imports": SIGNED_IN,
  "GET /usage": SIGNED_IN,
  "GET /usage/names": SIGNED_IN,
  "GET /usage/summary": SIGNED_IN,
  "GET /usage/export": SIGNED_IN,
  "GET /usage/{id}": SIGNED_IN,
  "GET /operator/accounts": OPERATORS,
  "GET /operator/invitations": OPERATORS,
  "POST /operator/invitations": RECENT_OPERATORS,
  "DELETE /operator/invitations/{id}": OPERATORS,
  "POST /operator/accounts/{id}/reset": RECENT_OPERATORS,
  "GET /operator/models": OPERATORS,
  "POST /operator/models": OPERATORS,
  "PATCH /operator/models/{id}": OPERATORS,
  "DELETE /operator/models/{id}": OPERATORS,
  "GET /operator/models/{id}/prices": OPERATORS,
  "DELETE /operator/models/{id}/prices/{price}": OPERATORS,
  "POST /operator/prices/compare": OPERATORS,
  "POST /operator/prices/import": OPERATORS,
  "GET /operator/groups": OPERATORS,
  "POST /operator/groups": OPERATORS,
  "PATCH /operator/groups/{id}": OPERATORS,
  "DELETE /operator/groups/{id}": OPERATORS,
  "POST /operator/groups/preview": OPERATORS,
  "POST /operator/what-if": OPERATORS,
  "GET /operator/plans": OPERATORS,
  "POST /operator/plans": OPERATORS,
  "PATCH /operator/plans/{id}": OPERATORS,
  "DELETE /operator/plans/{id}": OPERATORS,
  "POST /try": RECENT,
  "GET /operator/accounts/{id}": OPERATORS,
  "PATCH /operator/accounts/{id}": RECENT_OPERATORS,
  "POST /operator/accounts/{id}/balance": RECENT_OPERATORS,
  "POST /operator/accounts/{id}/subscriptions": OPERATORS,
  "DELETE /operator/accounts/{id}/subscriptions/{subscription}": OPERATORS,
  "POST /operator/accounts/{id}/sign-out": RECENT_OPERATORS,
  "GET /operator/accounts/{id}/keys": OPERATORS,
  "POST /operator/accounts/{id}/keys/{key}/{change}": RECENT_OPERATORS,
  "GET /operator/accounts/{id}/ledger": OPERATORS,
  "POST /operator/accounts/many": RECENT_OPERATORS,
  "GET /operator/codes": OPERATORS,
  "POST /operator/codes": RECENT_OPERATORS,
  "DELETE /operator/codes/{id}": RECENT_OPERATORS,
  "GET /operator/audit": OPERATORS,
  "GET /operator/audit/names": OPERATORS,
  "GET /operator/audit/export": OPERATORS,
  "GET /operator/tokens": OPERATORS,
  "POST /operator/tokens": RECENT_OPERATORS,
  "DELETE /operator/tokens/{id}": OPERATORS,
  "GET /operator/presets": OPERATORS,
  "POST /operator/upstreams/look": RECENT_OPERATORS,
  "GET /operator/upstreams": OPERATORS,
  "POST /operator/upstreams": RECENT_OPERATORS,
  "PATCH /operator/upstreams/{id}": OPERATORS,
  "DELETE /operator/upstreams/{id}": RECENT_OPERATORS,
  "POST /operator/upstreams/order": OPERATORS,
  "POST /operator/upstreams/{id}/look": OPERATORS,
  "POST /operator/upstreams/{id}/test": OPERATORS,
  "POST /operator/upstreams/{id}/reset": OPERATORS,
  "POST /operator/upstreams/{id}/credentials": RECENT_OPERATORS,
  "DELETE /operator/upstreams/{id}/credentials/{credential}": RECENT_OPERATORS,
  "GET /operator/upstreams/{id}/history": OPERATORS,
  "GET /operator/overview": OPERATORS,
  "GET /operator/webhooks": OPERATORS,
  "POST /operator/webhooks": RECENT_OPERATORS,
  "PATCH /operator/webhooks/{id}": RECENT_OPERATORS,
  "POST /operator/webhooks/{id}/secret": RECENT_OPERATORS,
  "DELETE /operator/webhooks/{id}": RECENT_OPERATORS,
  "POST /operator/webhooks/{id}/test": OPERATORS,
  "GET /operator/webhooks/{id}/deliveries": OPERATORS,
  "POST /operator/webhooks/{id}/deliveries/{delivery}/again": OPERATORS,
  "GET /operator/settings": OPERATORS,
  "PATCH /operator/settings": RECENT_OPERATORS,
  "GET /operator/settings/sealed-copies": OPERATORS,
  "POST /operator/settings/sign-in-test": RECENT_OPERATORS,
  "GET /operator/usage": OPERATORS,
  "GET /operator/usage/names": OPERATORS,
  "GET /operator/usage/summary": OPERATORS,
  "GET /operator/usage/export": OPERATORS,
  "GET /operator/usage/{id}": OPERATORS,
  "POST /operator/settings/mail-test": RECENT_OPERATORS,
  // Last, because they end the sessions that the others are called with.
  "DELETE /sessions": SIGNED_IN,
  "DELETE /session": SIGNED_IN,
};

let rig: ConsoleRig;
const browsers = new Map<Role, Browser>();

function as(role: Role): Browser {
  const browser = browsers.get(role);
  if (browser === undefined) throw new Error(`nobody is ${role}`);
  return browser;
}

beforeAll(async () => {
  rig = await startConsole();
  browsers.set("nobody", rig.browser());
  browsers.set("holder", await rig.invited("holder@example.org"));
  browsers.set("operator", rig.operator);
  rig.letProofsAge();
  for (const [role, email] of [
    ["recent holder", "holder@example.org"],
    ["recent operator", OPERATOR],
  ] as const) {
    const browser = rig.browser();
    await browser.signIn(email);
    browsers.set(role, browser);
  }
});
afterAll(() => rig.dispose());

/** What stands in a path, whatever it is called there. */
function path(id = "none"): Record<string, string> {
  return new Proxy<Record<string, string>>({}, { get: (_, name) => (name === "id" ? id : "none") });
}

/** Past the door a call fails for what it brings: a field that is not known, an id that is not there. */
async function knock(role: Role, name: Name): Promise<string> {
  const endpoint: Endpoint = endpoints[name];
  const given = { params: path(), ...(endpoint.body === undefined ? {} : { body: { "?": 1 } }) };
  const answer = await as(role).send(name, given as never);
  if (answer.status >= 500)
    throw new Error(`${name} as ${role} was answered ${answer.status}: ${await answer.text()}`);
  const isDoor = answer.status === 401 || answer.status === 403;
  if (!isDoor) return "in";
  const { error } = (await answer.json()) as { error: { code: string } };
  return error.code;
}

describe("every route by every role", () => {
  test("the table has every endpoint of the contract and no other", () => {
    expect(Object.keys(ROWS).sort()).toEqual(Object.keys(endpoints).sort());
  });

  for (const [name, row] of Object.entries(ROWS) as [Name, string][]) {
    test(`${name}: ${row}`, async () => {
      const found: string[] = [];
      for (const role of ROLES) found.push(await knock(role, name));
      expect(found.join(" ")).toBe(expectedOf(name, row));
    });
  }
});

/** Signing out everywhere else ends the other session of the same account, which then is signed in no longer. */
function expectedOf(name: Name, row: string): string {
  if (name === "DELETE /sessions") return "not_signed_in in not_signed_in in not_signed_in";
  return name === "DELETE /session" ? "not_signed_in in not_signed_in in not_signed_in" : row;
}

describe("an id of somebody else", () => {
  /** Of each route that takes an id, one that is Ann's; for operators' routes, one that is nobody's. */
  type Taking = Extract<Name, `${string}{id}${string}`>;
  const BODIES: Partial<Record<Taking, object>> = {
    "PATCH /keys/{id}": { name: "mine now" },
    "POST /keys/{id}/rotate": { grace_seconds: 0 },
    "POST /operator/accounts/{id}/balance": { amount_usd: "1", reason: "gift", once: "once" },
    "POST /operator/accounts/{id}/subscriptions": { plan: "pln_none", until: null },
    "POST /operator/upstreams/{id}/credentials": { api_key: "sk-nobody" },
  };
  const OWNED: Record<Taking, "key" | "usage" | "session" | "passkey" | "operator"> = {
    "DELETE /sessions/{id}": "session",
    "DELETE /account/passkeys/{id}": "passkey",
    "GET /keys/{id}": "key",
    "PATCH /keys/{id}": "key",
    "POST /keys/{id}/disable": "key",
    "POST /keys/{id}/enable": "key",
    "POST /keys/{id}/rotate": "key",
    "DELETE /keys/{id}": "key",
    "GET /keys/{id}/setup": "key",
    "POST /keys/{id}/imports": "key",
    "GET /usage/{id}": "usage",
    "DELETE /operator/invitations/{id}": "operator",
    "POST /operator/accounts/{id}/reset": "operator",
    "DELETE /operator/tokens/{id}": "operator",
    "GET /operator/accounts/{id}": "operator",
    "PATCH /operator/accounts/{id}": "operator",
    "POST /operator/accounts/{id}/balance": "operator",
    "POST /operator/accounts/{id}/subscriptions": "operator",
    "DELETE /operator/accounts/{id}/subscriptions/{subscription}": "operator",
    "POST /operator/accounts/{id}/sign-out": "operator",
    "GET /operator/accounts/{id}/keys": "operator",
    "POST /operator/accounts/{id}/keys/{key}/{change}": "operator",
    "GET /operator/accounts/{id}/ledger": "operator",
    "DELETE /operator/codes/{id}": "operator",
    "PATCH /operator/upstreams/{id}": "operator",
    "DELETE /operator/upstreams/{id}": "operator",
    "POST /operator/upstreams/{id}/look": "operator",
    "POST /operator/upstreams/{id}/test": "operator",
    "POST /operator/upstreams/{id}/reset": "operator",
    "POST /operator/upstreams/{id}/credentials": "operator",
    "DELETE /operator/upstreams/{id}/credentials/{credential}": "operator",
    "GET /operator/upstreams/{id}/history": "operator",
    "GET /operator/usage/{id}": "operator",
    "PATCH /operator/webhooks/{id}": "operator",
    "POST /operator/webhooks/{id}/secret": "operator",
    "DELETE /operator/webhooks/{id}": "operator",
    "POST /operator/webhooks/{id}/test": "operator",
    "GET /operator/webhooks/{id}/deliveries": "operator",
    "POST /operator/webhooks/{id}/deliveries/{delivery}/again": "operator",
    "PATCH /operator/models/{id}": "operator",
    "DELETE /operator/models/{id}": "operator",
    "GET /operator/models/{id}/prices": "operator",
    "DELETE /operator/models/{id}/prices/{price}": "operator",
    "PATCH /operator/groups/{id}": "operator",
    "DELETE /operator/groups/{id}": "operator",
    "PATCH /operator/plans/{id}": "operator",
    "DELETE /operator/plans/{id}": "operator",
  };
  const ids: Record<string, string> = { operator: "tkt_00000000000000000000000000" };
  let ann: Browser;
  let bob: Browser;

  beforeAll(async () => {
    await rig.operator.signIn(OPERATOR);
    ann = await rig.invited("ann@example.org");
    bob = await rig.invited("bob@example.org");
    const { groups } = await ann.call("GET /groups");
    const made = await ann.call("POST /keys", { body: { name: "ann's", group: groups[0]?.id ?? "" } });
    ids["key"] = made.key.id;
    const answer = await fetch(`${rig.root}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${made.string}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "demo", messages: [{ role: "user", content: "Hello!" }] }),
    });
    await answer.text();
    ids["usage"] = answer.headers.get("x-request-id") ?? "";
    ids["session"] = (await ann.call("GET /sessions")).sessions[0]?.id ?? "";
    ids["passkey"] = "pkey_00000000000000000000000001";
    changeDatabase(
      rig.dir,
      `insert into passkeys (id, account_id, credential_id, name, public_key, counter, transports, created_at_ms)
        select 'pkey_00000000000000000000000001', id, 'ann', 'ann''s', x'00', 0, '[]', 1 from accounts
        where email = 'ann@example.org'`,
    );
  });

  test("the table has every route that takes an id", () => {
    const taking = Object.keys(endpoints).filter(name => name.includes("{"));
    expect(Object.keys(OWNED).sort()).toEqual(taking.sort());
  });

  for (const [name, what] of Object.entries(OWNED) as [Taking, string][]) {
    test(`${name} answers as for an id that is nobody's`, async () => {
      const visitor = what === "operator" ? rig.browser() : bob;
      if (what === "operator") await visitor.signIn(OPERATOR);
      const body = BODIES[name] === undefined ? {} : { body: BODIES[name] };
      const foreign = ids[what] ?? "";
      const nobodys = `${foreign.slice(0, -3)}zzz`;
      const told = [];
      for (const id of [foreign, nobodys]) {
        const params = path(id);
        const { status, error } = await visitor.refused(name, { params, ...body } as never);
        told.push({ status, code: error.code, message: error.message.replaceAll(id, "…") });
      }
      expect(told).toEqual([told[1], told[1]] as typeof told);
      expect(told[0]).toMatchObject({ status: 404, code: "not_found" });
    });
  }

  test("changed nothing of hers", async () => {
    const key = await ann.call("GET /keys/{id}", { params: { id: ids["key"] ?? "" } });
    expect(key).toMatchObject({ name: "ann's", state: "active", old_string_until: null });
    await ann.call("GET /usage/{id}", { params: { id: ids["usage"] ?? "" } });
    await ann.call("GET /session");
    expect((await ann.call("GET /account")).passkeys).toHaveLength(1);
  });
});
