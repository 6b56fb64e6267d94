import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { endpoints, type Name } from "../src/console/contract/contract.ts";
import type { Access, Endpoint } from "../src/console/contract/endpoint.ts";
import { problem } from "../src/console/contract/form.ts";
import { DATABASES, type OperatorRig, Program, startOperator } from "./console-operator-rig.ts";
import { letProofAge, OPERATOR } from "./console-rig.ts";
import { mustRun, wicketgate } from "./harness.ts";

const SCOPES = ["read", "write", "write-all"] as const;
type Scope = (typeof SCOPES)[number];

/** What no token may do, whatever its scope. */
const FOR_PEOPLE: readonly Name[] = [
  "GET /session",
  "POST /session/passkey/options",
  "POST /session/confirm",
  "DELETE /session",
  "GET /sessions",
  "DELETE /sessions",
  "DELETE /sessions/{id}",
  "POST /account/password",
  "POST /account/totp",
  "POST /account/totp/confirm",
  "DELETE /account/totp",
  "POST /account/totp/recovery-codes",
  "POST /account/passkeys/options",
  "POST /account/passkeys",
  "DELETE /account/passkeys/{id}",
  "DELETE /account/oidc",
  "POST /operator/tokens",
];

function mayEnter(scope: Scope, name: Name, access: Access): boolean {
  if (FOR_PEOPLE.includes(name)) return false;
  if (scope === "write-all") return true;
  if (access === "recent" || access === "operator-recent") return false;
  return scope === "write" || name.startsWith("GET ");
}

for (const database of DATABASES) {
  describe(`operator tokens on ${database}`, () => {
    let rig: OperatorRig;
    beforeAll(async () => {
      rig = await startOperator(database);
    });
    afterAll(() => rig.dispose());

    const make = async (scope: Scope, name: string = scope, days = 1) => {
      const made = await rig.operator.call("POST /operator/tokens", { body: { name, scope, days } });
      return { ...made, program: new Program(rig.root, made.string) };
    };

    test("every route by every scope", async () => {
      const names = (Object.keys(endpoints) as Name[]).filter(name => accessOf(name) !== "open");
      const programs = new Map<Scope, Program>();
      for (const scope of SCOPES) programs.set(scope, (await make(scope)).program);
      for (const name of names) {
        for (const scope of SCOPES) {
          const endpoint: Endpoint = endpoints[name];
          const params = new Proxy({}, { get: () => "none" });
          const body = endpoint.body === undefined ? {} : { body: { "?": 1 } };
          const answer = await programs.get(scope)?.send(name, { params, ...body } as never);
          const isDoor = answer?.status === 401 || answer?.status === 403;
          expect([name, scope, !isDoor]).toEqual([name, scope, mayEnter(scope, name, endpoint.access)]);
          const told = await answer?.text();
          if (isDoor) expect(problem.parse(JSON.parse(told ?? "")).error.code).toBe("not_allowed");
        }
      }
    });

    test("the document says which calls take a token", async () => {
      const document = await (await rig.browser().send("GET /openapi.json")).json();
      const { paths } = document as {
        paths: Record<string, Record<string, { security?: Record<string, unknown>[] }>>;
      };
      for (const name of (Object.keys(endpoints) as Name[]).filter(one => accessOf(one) !== "open")) {
        const [method = "", path = ""] = name.split(" ");
        const schemes = paths[path]?.[method.toLowerCase()]?.security?.flatMap(one => Object.keys(one));
        expect([name, schemes?.includes("token")]).toEqual([name, !FOR_PEOPLE.includes(name)]);
      }
    });

    test("a token is shown once, kept as a hash, and each of its deeds stands in the audit by its name", async () => {
      const { token, string, program } = await make("write-all", "deploy", 30);
      expect(string).toMatch(/^wgo_[A-Za-z0-9]{49}$/);
      expect(token).toMatchObject({ name: "deploy", scope: "write-all", by: OPERATOR, last_used_at: null });
      expect(token.preview).toBe(`wgo_${string.slice(4, 6)}…${string.slice(-4)}`);
      await program.call("POST /operator/codes", { body: { count: 1, amount_usd: "1", note: "by program" } });
      const { tokens } = await rig.operator.call("GET /operator/tokens");
      const listed = tokens.find(({ id }) => id === token.id);
      expect(listed?.last_used_at).not.toBeNull();
      const { entries } = await rig.operator.call("GET /operator/audit", { query: { by: OPERATOR } });
      expect(entries[0]).toMatchObject({
        ...{ noun: "code", action: "create", through: "token", by: `${OPERATOR} (token deploy)` },
        address: "127.0.0.1",
      });
      expect(entries[1]).toMatchObject({
        noun: "token",
        name: "deploy",
        action: "create",
        through: "console",
      });
      const all = JSON.stringify([tokens, entries]) + rig.gateway.log();
      expect(all).not.toContain(string.slice(6, -4));
      if (database === "SQLite") {
        for (const file of ["wicketgate.db", "wicketgate.db-wal"]) {
          expect(readFileSync(join(rig.dir, file)).includes(string.slice(6))).toBe(false);
        }
      }
    });

    test("a token's own scope counts, and not the cookie that came along", async () => {
      const { program } = await make("read", "reader");
      program.cookies.set(...firstOf(rig.operator.cookies));
      const body = { body: { count: 1, amount_usd: "1", note: "" } };
      expect(await program.refused("POST /operator/codes", body)).toMatchObject({
        status: 403,
        error: { code: "not_allowed", message: expect.stringContaining("only read") },
      });
      // And without a token, a foreign origin stays shut out.
      const foreign = { ...body, headers: { origin: "https://elsewhere.example" } };
      expect((await rig.operator.refused("POST /operator/codes", foreign)).error.code).toBe("cross_site");
    });

    test("what a proxy puts into the header is not taken for a token", async () => {
      for (const authorization of ["Basic b3BlcmF0b3I6c2VjcmV0", "Bearer eyJhbGciOiJub25lIn0.e30."]) {
        await rig.operator.call("GET /operator/tokens", { headers: { authorization } });
        const refused = await rig.browser().refused("GET /operator/tokens", { headers: { authorization } });
        expect(refused.error.code).toBe("not_signed_in");
      }
    });

    test("a token that is damaged, unknown, expired or ended is told so", async () => {
      const { token, string, program } = await make("read", "short");
      const told = async (presented: string) => {
        const refused = await new Program(rig.root, presented).refused("GET /operator/tokens");
        expect(refused).toMatchObject({ status: 401, error: { code: "not_signed_in" } });
        return refused.error.message;
      };
      const other = string.charAt(10) === "a" ? "b" : "a";
      expect(await told(string.slice(0, 10) + other + string.slice(11))).toContain("checksum");
      expect(await told(string.slice(0, -2))).toContain("51 characters");
      await rig.change("update tokens set expires_at_ms = 5 where id = ?", token.id);
      expect(await told(string)).toContain("expired at 1970-01-01T00:00:00.005Z");
      await rig.operator.call("DELETE /operator/tokens/{id}", { params: { id: token.id } });
      expect(await told(string)).toContain("not known");
      await program.refused("GET /groups");
      const again = await rig.operator.refused("DELETE /operator/tokens/{id}", { params: { id: token.id } });
      expect(again.status).toBe(404);
    });

    test("a key opens nothing here, a token nothing at the gateway, and each is told why", async () => {
      const { groups } = await rig.operator.call("GET /groups");
      const group = groups.find(({ name }) => name === "all")?.id ?? "";
      const key = await rig.operator.call("POST /keys", { body: { name: "k", group } });
      const refused = await new Program(rig.root, key.string).refused("GET /operator/accounts");
      expect(refused).toMatchObject({ status: 401, error: { message: expect.stringContaining("API key") } });
      const { string } = await make("write-all", "lost");
      const answer = await fetch(`${rig.root}/v1/models`, { headers: { authorization: `Bearer ${string}` } });
      expect(answer.status).toBe(401);
      const told = await answer.text();
      expect(JSON.parse(told).error).toMatchObject({ reason: "key_malformed" });
      expect(told).toContain("operator token");
      expect(told).not.toContain(string.slice(6, -4));
    });

    test("tokens end with their operator: disabled or demoted, and not revived by the way back", async () => {
      for (const [email, away, back] of [
        ["eve@example.org", { enabled: false }, { enabled: true }],
        ["dan@example.org", { role: "holder" }, { role: "operator" }],
      ] as const) {
        const guest = await rig.invited(email, { role: "operator" });
        const body = { name: "theirs", scope: "write-all", days: 1 } as const;
        const { string } = await guest.call("POST /operator/tokens", { body });
        const program = new Program(rig.root, string);
        await program.call("GET /operator/accounts");
        const params = { id: await rig.idOf(email) };
        await rig.operator.call("PATCH /operator/accounts/{id}", { params, body: away });
        expect((await program.refused("GET /operator/accounts")).status).toBe(401);
        await rig.operator.call("PATCH /operator/accounts/{id}", { params, body: back });
        expect((await program.refused("GET /operator/accounts")).status).toBe(401);
      }
    });

    test("from the command line it is the same", async () => {
      const made = JSON.parse(
        await mustRun(rig.dir, [
          ...["token", "create", "--account", OPERATOR, "--name", "cli", "--scope", "read"],
          ...["--days", "2", "--json"],
        ]),
      ) as { id: string; token: string };
      const program = new Program(rig.root, made.token);
      await program.call("GET /operator/accounts");
      expect(await mustRun(rig.dir, ["token", "list"])).toContain("cli");
      expect(await mustRun(rig.dir, ["token", "list"])).not.toContain(made.token);
      await mustRun(rig.dir, ["token", "revoke", made.id]);
      expect((await program.refused("GET /operator/accounts")).status).toBe(401);
      const { entries } = await rig.operator.call("GET /operator/audit", {
        query: { noun: "token", name: "CLI" },
      });
      expect(entries.map(({ action, through }) => [action, through])).toEqual([
        ["delete", "command line"],
        ["create", "command line"],
      ]);
      await rig.invited("holder@example.org");
      for (const [args, sentence] of [
        [["create", "--account", "holder@example.org", "--name", "x"], "Only an operator"],
        [["create", "--account", OPERATOR, "--name", "x", "--scope", "all"], "--scope must be one of"],
        [["revoke", made.token], "and not its string"],
        [["revoke", `tok_${"0".repeat(26)}`], "There is no token"],
      ] as const) {
        const { code, stderr } = await wicketgate(rig.dir, ["token", ...args]);
        expect(code).not.toBe(0);
        expect(stderr).toContain(sentence);
        expect(stderr).not.toContain(made.token);
      }
    });
  });
}

describe("ending a token", () => {
  test("of another operator asks for a recent sign-in, one's own does not", async () => {
    const rig = await startOperator("SQLite");
    try {
      const other = await rig.invited("other@example.org", { role: "operator" });
      const body = { name: "t", scope: "read", days: 1 } as const;
      const theirs = await other.call("POST /operator/tokens", { body });
      const own = await rig.operator.call("POST /operator/tokens", { body });
      letProofAge(rig.dir, OPERATOR);
      const refused = await rig.operator.refused("DELETE /operator/tokens/{id}", {
        params: { id: theirs.token.id },
      });
      expect(refused.error.code).toBe("recent_sign_in_needed");
      await rig.operator.call("DELETE /operator/tokens/{id}", { params: { id: own.token.id } });
      await new Program(rig.root, theirs.string).call("GET /operator/tokens");
    } finally {
      await rig.dispose();
    }
  });
});

function accessOf(name: Name): Access {
  const endpoint: Endpoint = endpoints[name];
  return endpoint.access;
}

function firstOf(cookies: ReadonlyMap<string, string>): [string, string] {
  const [first] = cookies;
  if (first === undefined) throw new Error("there is no cookie");
  return first;
}
