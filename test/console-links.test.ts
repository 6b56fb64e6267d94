import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { freshDatabase } from "../src/store/postgres/server-test-rig.ts";
import {
  Browser,
  type ConsoleRig,
  changeDatabase,
  OPERATOR,
  PASSWORD,
  startConsole,
  tokenOf,
} from "./console-rig.ts";
import {
  type Environment,
  freshDir,
  type Gateway,
  mustRun,
  removeDir,
  setEnvironment,
  startGateway,
  wicketgate,
} from "./harness.ts";

const SECRET = "one master secret for all instances, long enough";

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsole();
});
afterAll(() => rig.dispose());

function use(root: string, link: string, email?: string): Promise<Response> {
  const body = { token: tokenOf(link), password: PASSWORD, ...(email === undefined ? {} : { email }) };
  return new Browser(root).send("POST /links/use", { body });
}

describe("the set-up link", () => {
  test("is printed while nobody can sign in, makes one operator, and is printed no more", async () => {
    const dir = freshDir();
    let gateway = await startGateway(dir);
    const link = gateway.setupLink ?? "";
    expect(link).toMatch(new RegExp(`^${gateway.url}/console/setup#[\\w-]{43}$`));
    const browser = new Browser(gateway.url);
    expect((await browser.call("GET /house")).needs_setup).toBe(true);
    const told = await browser.call("POST /links/look", { body: { token: tokenOf(link) } });
    expect(told).toMatchObject({ kind: "setup", email: null, role: "operator" });
    expect(Math.round((Date.parse(told.expires_at) - Date.now()) / 3_600_000)).toBe(24);
    await browser.enterBy(link, { email: "First@Example.org" });
    expect((await browser.call("GET /session")).account).toMatchObject({
      email: "first@example.org",
      role: "operator",
    });
    expect((await browser.call("GET /house")).needs_setup).toBe(false);
    const again = await use(gateway.url, link, "second@example.org");
    expect(again.status).toBe(410);
    expect(gateway.log()).not.toContain(tokenOf(link));
    await gateway.stop();
    gateway = await startGateway(dir);
    expect(gateway.setupLink).toBeNull();
    await gateway.stop();
    removeDir(dir);
  });

  test("of an earlier start works no longer once there is a newer one", async () => {
    const dir = freshDir();
    const first = await startGateway(dir);
    const old = first.setupLink ?? "";
    await first.stop();
    const second = await startGateway(dir);
    expect((await use(second.url, old, OPERATOR)).status).toBe(410);
    expect((await use(second.url, second.setupLink ?? "", OPERATOR)).status).toBe(200);
    await second.stop();
    removeDir(dir);
  });

  test("ends after a day", async () => {
    const dir = freshDir();
    const gateway = await startGateway(dir);
    changeDatabase(dir, "update tickets set expires_at_ms = expires_at_ms - 86400001");
    expect((await use(gateway.url, gateway.setupLink ?? "", OPERATOR)).status).toBe(410);
    await gateway.stop();
    removeDir(dir);
  });

  test("gives an operator of the command line a password, and no holder's account away", async () => {
    const dir = freshDir();
    await mustRun(dir, ["account", "add", "ann@example.org"]);
    await mustRun(dir, ["account", "add", "op@example.org", "--role", "operator"]);
    const gateway = await startGateway(dir);
    const link = gateway.setupLink ?? "";
    const taken = await use(gateway.url, link, "ann@example.org");
    expect(taken.status).toBe(409);
    expect(await taken.text()).toContain("choose another e-mail");
    // A try that was refused does not use the link up.
    expect((await use(gateway.url, link, "op@example.org")).status).toBe(200);
    const accounts = JSON.parse(await mustRun(dir, ["account", "list", "--json"])) as {
      email: string;
      role: string;
    }[];
    expect(accounts.filter(({ role }) => role === "operator").map(({ email }) => email)).toEqual([
      "op@example.org",
    ]);
    await gateway.stop();
    removeDir(dir);
  });

  const DATABASES: [name: string, env: () => Promise<Environment>][] = [
    ["SQLite", async () => ({})],
    ["PostgreSQL", async () => ({ DATABASE_URL: await freshDatabase(), WICKETGATE_SECRET: SECRET })],
  ];
  for (const [name, environment] of DATABASES) {
    test(`lets one in, whoever races (${name})`, async () => {
      const env = await environment();
      const dirs = name === "SQLite" ? [freshDir()] : [freshDir(), freshDir()];
      for (const dir of dirs) setEnvironment(dir, env);
      const gateways: Gateway[] = [];
      for (const dir of dirs) gateways.push(await startGateway(dir));
      const link = gateways.at(-1)?.setupLink ?? "";
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          use(gateways[at % gateways.length]?.url ?? "", link, `op${at}@example.org`),
        ),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array(11).fill(410)]);
      const people = JSON.parse(await mustRun(dirs[0] ?? "", ["account", "list", "--json"])) as {
        role: string;
      }[];
      expect(people.filter(({ role }) => role === "operator")).toHaveLength(1);
      for (const gateway of gateways) await gateway.stop();
      for (const dir of dirs) removeDir(dir);
    });
  }
});

describe("an invitation", () => {
  test("makes the account with its balance when it is used, once", async () => {
    const body = { email: "Guest@Example.org", role: "holder", balance_usd: "2.5" } as const;
    const { link, invitation } = await rig.operator.call("POST /operator/invitations", { body });
    expect(invitation).toMatchObject({ email: "guest@example.org", role: "holder", by: OPERATOR });
    const before = await rig.operator.call("GET /operator/invitations");
    expect(before.invitations.map(({ id }) => id)).toContain(invitation.id);
    const people = await rig.operator.call("GET /operator/accounts");
    expect(people.accounts.map(({ email }) => email)).not.toContain("guest@example.org");
    const guest = rig.browser();
    const told = await guest.call("POST /links/look", { body: { token: tokenOf(link) } });
    expect(told).toMatchObject({ kind: "invitation", email: "guest@example.org", role: "holder" });
    await guest.enterBy(link);
    expect((await guest.call("GET /session")).account).toMatchObject({
      email: "guest@example.org",
      role: "holder",
      balance_usd: "2.50",
    });
    expect((await use(rig.root, link)).status).toBe(410);
    const after = await rig.operator.call("GET /operator/invitations");
    expect(after.invitations.map(({ id }) => id)).not.toContain(invitation.id);
    const listed = await rig.operator.call("GET /operator/accounts");
    const person = listed.accounts.find(({ email }) => email === "guest@example.org");
    expect(person).toMatchObject({ enabled: true, balance_usd: "2.50" });
    expect(person?.last_seen_at).not.toBeNull();
    const ledger = await mustRun(rig.dir, ["account", "ledger", "guest@example.org", "--json"]);
    expect(JSON.parse(ledger)).toMatchObject([{ who: OPERATOR, amount: "2.50" }]);
  });

  test("is for its e-mail alone", async () => {
    const body = { email: "only@example.org", role: "holder" } as const;
    const { link } = await rig.operator.call("POST /operator/invitations", { body });
    const other = await use(rig.root, link, "else@example.org");
    expect(other.status).toBe(400);
    expect(await other.json()).toMatchObject({ error: { fields: [{ path: "email" }] } });
    expect((await use(rig.root, link, "ONLY@example.org")).status).toBe(200);
  });

  test("can be taken back, and a newer one replaces it", async () => {
    const body = { email: "late@example.org", role: "holder" } as const;
    const first = await rig.operator.call("POST /operator/invitations", { body });
    const second = await rig.operator.call("POST /operator/invitations", { body });
    expect((await use(rig.root, first.link)).status).toBe(410);
    const params = { id: second.invitation.id };
    await rig.operator.call("DELETE /operator/invitations/{id}", { params });
    expect((await use(rig.root, second.link)).status).toBe(410);
    expect((await rig.operator.refused("DELETE /operator/invitations/{id}", { params })).status).toBe(404);
  });

  test("is not made for whoever can sign in already", async () => {
    const body = { email: OPERATOR, role: "operator" } as const;
    const { status, error } = await rig.operator.refused("POST /operator/invitations", { body });
    expect(status).toBe(409);
    expect(error.message).toContain("can sign in");
  });

  test("of the command line lets in who was made there, with what they have", async () => {
    await mustRun(rig.dir, ["account", "add", "cli@example.org", "--balance", "3"]);
    const out = await mustRun(rig.dir, ["account", "invite", "cli@example.org", "--json"], {
      env: { WICKETGATE_PUBLIC_URL: rig.root },
    });
    const { link, role } = JSON.parse(out) as { link: string; role: string };
    expect({ link, role }).toMatchObject({ role: "holder" });
    expect(link).toStartWith(`${rig.root}/console/invitation#`);
    const browser = rig.browser();
    await browser.enterBy(link);
    expect((await browser.call("GET /session")).account.balance_usd).toBe("3.00");
    const again = await wicketgate(rig.dir, ["account", "invite", "cli@example.org"]);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("can sign in");
  });

  test("asks for a good password, and stays unused until there is one", async () => {
    const body = { email: "weak@example.org", role: "holder" } as const;
    const { link } = await rig.operator.call("POST /operator/invitations", { body });
    for (const password of ["short", "password1234", "1234567890", "weak@example.org", "Wicketgate1"]) {
      const { status, error } = await rig
        .browser()
        .refused("POST /links/use", { body: { token: tokenOf(link), password } });
      expect({ status, fields: error.fields?.map(({ path }) => path) }).toEqual({
        status: 400,
        fields: ["password"],
      });
    }
    await rig.browser().enterBy(link);
  });
});

describe("a reset link", () => {
  test("sets a new password and signs everybody else out", async () => {
    const browser = await rig.invited("forgot@example.org");
    const { accounts } = await rig.operator.call("GET /operator/accounts");
    const id = accounts.find(({ email }) => email === "forgot@example.org")?.id ?? "";
    const { link } = await rig.operator.call("POST /operator/accounts/{id}/reset", { params: { id } });
    expect(link).toStartWith(`${rig.root}/console/reset#`);
    // Until it is used, nothing has changed.
    await browser.call("GET /session");
    const fresh = rig.browser();
    await fresh.enterBy(link, { password: "another wicket altogether" });
    await fresh.call("GET /session");
    expect((await browser.refused("GET /session")).status).toBe(401);
    const old = { email: "forgot@example.org", password: PASSWORD };
    expect((await rig.browser().refused("POST /sign-in", { body: old })).error.code).toBe("wrong_sign_in");
    await rig.browser().signIn("forgot@example.org", "another wicket altogether");
    expect((await use(rig.root, link)).status).toBe(410);
  });

  test("works once when used by many at the same time", async () => {
    await rig.invited("reset-race@example.org");
    const out = await mustRun(rig.dir, ["account", "reset", "reset-race@example.org", "--json"]);
    const { link } = JSON.parse(out) as { link: string };
    const answers = await Promise.all(Array.from({ length: 8 }, () => use(rig.root, link)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 410)).toHaveLength(7);
  });

  test("of a disabled account does not work, and of an unknown one is not made", async () => {
    await rig.invited("gone@example.org");
    const out = await mustRun(rig.dir, ["account", "reset", "gone@example.org", "--json"]);
    await mustRun(rig.dir, ["account", "disable", "gone@example.org"]);
    expect((await use(rig.root, (JSON.parse(out) as { link: string }).link)).status).toBe(410);
    await rig.invited("text@example.org");
    const text = await mustRun(rig.dir, ["account", "reset", "text@example.org", "--two-factor"]);
    expect(text).toMatch(
      /^Give text@example\.org this link; it works once, until .*:\n\nhttp:\S+\/console\/reset#[\w-]{43}\n$/,
    );
    const unknown = await wicketgate(rig.dir, ["account", "reset", "nobody@example.org"]);
    expect(unknown.stderr).toContain("There is no account nobody@example.org.");
    const params = { id: "acc_00000000000000000000000000" };
    expect((await rig.operator.refused("POST /operator/accounts/{id}/reset", { params })).status).toBe(404);
  });
});

test("guessing links is slowed down, and using a right one is not", async () => {
  changeDatabase(rig.dir, "delete from throttles");
  const body = { token: "x".repeat(43) };
  const codes: string[] = [];
  for (let round = 0; round < 31; round++) {
    codes.push((await rig.browser().refused("POST /links/look", { body })).error.code);
  }
  expect(codes).toEqual([...Array(30).fill("link_invalid"), "throttled"]);
  changeDatabase(rig.dir, "delete from throttles");
});
