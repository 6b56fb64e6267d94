import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import {
  type Browser,
  type ConsoleRig,
  changeDatabase,
  OPERATOR,
  PASSWORD,
  startConsole,
} from "./console-rig.ts";
import { applyYaml, mustRun, wicketgate } from "./harness.ts";

/** Whatever is changed, by whomever and however, stands in the audit, once; what is only looked at or refused does not. */

let rig: ConsoleRig;
let ann: Browser;
let seen = 0;

beforeAll(async () => {
  rig = await startConsole({ WICKETGATE_DEMO: "on", WICKETGATE_REGISTRATION: "open" });
  ann = await rig.invited("ann@example.org");
  await fresh();
});
afterAll(() => rig.dispose());

type Entry = Awaited<ReturnType<typeof listed>>[number];

const listed = async () =>
  (await rig.operator.call("GET /operator/audit", { query: { limit: 200 } })).entries;

/** What was recorded since the last look, oldest first. */
async function fresh(): Promise<Entry[]> {
  const entries = (await listed()).filter(({ number }) => number > seen).reverse();
  seen = Math.max(seen, ...entries.map(({ number }) => number));
  return entries;
}

const brief = (entries: readonly Entry[]) =>
  entries.map(({ noun, action, name, by }) => `${by}: ${action} ${noun} ${name}`);

const command = (...args: string[]) => mustRun(rig.dir, args);

test("the first operator, an invitation and whoever uses it", async () => {
  const entries = [...(await listed())].reverse();
  expect(brief(entries).filter(line => !line.startsWith("start:"))).toEqual([
    `${OPERATOR}: create account ${OPERATOR}`,
    `${OPERATOR}: use link account ${OPERATOR}`,
    `${OPERATOR}: create invitation ann@example.org`,
    "ann@example.org: create account ann@example.org",
    "ann@example.org: use link account ann@example.org",
  ]);
  expect(entries.filter(({ through }) => through === "console").map(({ address }) => address)).toEqual(
    Array(5).fill("127.0.0.1"),
  );
  expect(entries.find(({ noun, name }) => noun === "account" && name === "ann@example.org")?.fields).toEqual([
    { field: "role", before: "", after: "holder" },
    { field: "balance", before: "", after: "10.00" },
    { field: "invited_by", before: "", after: OPERATOR },
  ]);
});

test("an invitation that is taken back, a reset link, and a registration", async () => {
  const body = { email: "late@example.org", role: "holder" as const };
  const { invitation } = await rig.operator.call("POST /operator/invitations", { body });
  await rig.operator.call("DELETE /operator/invitations/{id}", { params: { id: invitation.id } });
  const again = await rig.operator.refused("DELETE /operator/invitations/{id}", {
    params: { id: invitation.id },
  });
  expect(again.status).toBe(404);
  const { accounts } = await rig.operator.call("GET /operator/accounts");
  const id = accounts.find(({ email }) => email === "ann@example.org")?.id ?? "";
  await rig.operator.call("POST /operator/accounts/{id}/reset", { params: { id } });
  await rig.browser().call("POST /register", { body: { email: "reg@example.org", password: PASSWORD } });
  expect(brief(await fresh())).toEqual([
    `${OPERATOR}: create invitation late@example.org`,
    `${OPERATOR}: remove invitation late@example.org`,
    `${OPERATOR}: make reset link account ann@example.org`,
    "reg@example.org: create account reg@example.org",
  ]);
});

test("a key through all its life, by its holder, never its string", async () => {
  const { groups } = await ann.call("GET /groups");
  const group = groups[0]?.id ?? "";
  const { key, string } = await ann.call("POST /keys", { body: { name: "laptop", group } });
  const params = { id: key.id };
  await ann.call("PATCH /keys/{id}", { params, body: { name: "desk", concurrency: 4 } });
  await ann.call("PATCH /keys/{id}", { params, body: { name: "desk", concurrency: 4 } });
  await ann.call("POST /keys/{id}/disable", { params });
  await ann.call("POST /keys/{id}/disable", { params });
  await ann.call("POST /keys/{id}/enable", { params });
  const rotated = await ann.call("POST /keys/{id}/rotate", { params, body: { grace_seconds: 60 } });
  await ann.call("DELETE /keys/{id}", { params });
  await ann.call("GET /keys");
  const entries = await fresh();
  expect(brief(entries)).toEqual([
    "ann@example.org: create key laptop",
    "ann@example.org: update key desk",
    "ann@example.org: disable key desk",
    "ann@example.org: enable key desk",
    "ann@example.org: rotate key desk",
    "ann@example.org: delete key desk",
  ]);
  expect(entries[1]?.fields).toEqual([
    { field: "account", before: "ann@example.org", after: "ann@example.org" },
    { field: "name", before: "laptop", after: "desk" },
    { field: "concurrency", before: "none", after: "4" },
  ]);
  expect(entries.every(({ id }) => id === key.id)).toBe(true);
  const text = JSON.stringify(entries);
  for (const secret of [string, rotated.string]) expect(text).not.toContain(secret.slice(4, 20));
});

test("a profile, a password and a code, without what is secret in them", async () => {
  await ann.call("PATCH /account", { body: { name: "Ann", low_balance_usd: "2" } });
  await ann.call("PATCH /account", { body: { theme: "dark" } });
  const password = "another quiet wicket in the wall";
  await ann.call("POST /account/password", { body: { password } });
  const [made] = JSON.parse(await command("code", "create", "5", "--note", "gift", "--json")) as {
    code: string;
    id: string;
  }[];
  await ann.call("POST /account/redeem", { body: { code: made?.code ?? "" } });
  const twice = await ann.refused("POST /account/redeem", { body: { code: made?.code ?? "" } });
  expect(twice.status).toBe(409);
  const [other] = JSON.parse(await command("code", "create", "5", "--json")) as { id: string }[];
  await command("code", "revoke", other?.id ?? "");
  await command("code", "revoke", other?.id ?? "");
  const entries = await fresh();
  expect(entries.map(({ by, action, noun, through }) => [by, action, noun, through])).toEqual([
    ["ann@example.org", "update", "account", "console"],
    ["ann@example.org", "set password", "account", "console"],
    ["command line", "create", "code", "command line"],
    ["ann@example.org", "redeem", "code", "console"],
    ["command line", "create", "code", "command line"],
    ["command line", "revoke", "code", "command line"],
  ]);
  expect(entries[3]?.fields).toContainEqual({ field: "balance", before: "10.00", after: "15.00" });
  const text = JSON.stringify(entries);
  expect(text).not.toContain(password);
  expect(text).not.toContain(made?.code.slice(6) ?? "");
  expect(text).not.toContain("argon2");
});

test("accounts and money at the command line, once for each change that is one", async () => {
  await command("account", "add", "bob@example.org", "--balance", "3");
  await command("account", "credit", "bob@example.org", "4", "--reason", "paid", "--idempotency-key", "one");
  await command("account", "credit", "bob@example.org", "4", "--reason", "paid", "--idempotency-key", "one");
  await command("account", "debit", "bob@example.org", "1", "--reason", "fee");
  const tooMuch = await wicketgate(rig.dir, [
    "account",
    "debit",
    "bob@example.org",
    "100",
    "--reason",
    "fee",
  ]);
  expect(tooMuch.code).not.toBe(0);
  await command("account", "disable", "bob@example.org");
  await command("account", "enable", "bob@example.org");
  await command("account", "limit", "bob@example.org", "--concurrency", "2");
  await command("account", "list");
  const entries = await fresh();
  expect(entries.map(({ action }) => action)).toEqual([
    "create",
    "credit",
    "debit",
    "disable",
    "enable",
    "update",
  ]);
  expect(entries[1]?.fields).toEqual([
    { field: "balance", before: "3.00", after: "7.00" },
    { field: "reason", before: "", after: "paid" },
  ]);
});

test("an upstream and its keys, never the keys themselves", async () => {
  const credential = "sk-a-very-secret-credential-of-an-upstream";
  const yaml = `upstreams: [{ name: far, kind: openai-compatible, base_url: "https://far.example.org/v1", models: [far], api_key: ${credential} }]\n`;
  await applyYaml(rig.dir, yaml);
  await applyYaml(rig.dir, yaml);
  const dry = await wicketgate(rig.dir, ["apply", "-", "--dry-run"], {
    stdin: yaml.replace("[far]", "[other]"),
  });
  expect(dry.code).toBe(0);
  const env = { KEY: `${credential}-2` };
  await mustRun(rig.dir, ["upstream", "key", "add", "far", "--api-key-env", "KEY"], { env });
  const keys = JSON.parse(await command("upstream", "key", "list", "far", "--json")) as { id: string }[];
  await command("upstream", "key", "remove", "far", keys[1]?.id ?? "");
  await command("upstream", "reset", "far");
  await command("upstream", "remove", "far");
  const entries = await fresh();
  expect(entries.map(({ noun, action, through }) => [noun, action, through])).toEqual([
    ["upstream", "create", "apply"],
    ["credential", "create", "command line"],
    ["credential", "remove", "command line"],
    ["upstream", "reset", "command line"],
    ["upstream", "remove", "command line"],
  ]);
  expect(JSON.stringify(entries)).not.toContain(credential.slice(3, 20));
});

test("a copy, a new master secret, and the chain is whole under it", async () => {
  await command("backup", join(rig.dir, "copy.wg"));
  await command("secret", "rotate");
  expect((await fresh()).map(({ noun, action }) => [noun, action])).toEqual([
    ["copy", "backup"],
    ["secret", "rotate"],
  ]);
  await command("account", "credit", "bob@example.org", "1", "--reason", "after the change");
  const verified = await wicketgate(rig.dir, ["verify", "--json"]);
  expect(JSON.parse(verified.stdout)).toMatchObject({ clean: true });
});

test("whoever alters it at the database is found by verify, and told where", async () => {
  const entries = await listed();
  const number = entries.find(({ action }) => action === "debit")?.number ?? 0;
  changeDatabase(rig.dir, "update audit set actor = 'nobody' where number = ?", number);
  const altered = await wicketgate(rig.dir, ["verify"]);
  expect(altered.code).not.toBe(0);
  expect(altered.stdout).toContain(`entry ${number}`);
  expect(altered.stdout).toContain("does not follow");
});
