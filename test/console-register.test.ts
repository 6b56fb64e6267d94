import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ConsoleRig, changeDatabase, OPERATOR, PASSWORD, startConsole } from "./console-rig.ts";
import { mustRun } from "./harness.ts";

let closed: ConsoleRig;
let open: ConsoleRig;
beforeAll(async () => {
  closed = await startConsole();
  open = await startConsole({ WICKETGATE_REGISTRATION: "open", WICKETGATE_REGISTRATION_BALANCE: "0.5" });
});
afterAll(async () => {
  await closed.dispose();
  await open.dispose();
});

const body = { email: "New@Example.org", password: PASSWORD, language: "zh" } as const;

test("where registration is off, nobody makes an account", async () => {
  const browser = closed.browser();
  expect((await browser.call("GET /house")).registration).toBe(false);
  const { status, error } = await browser.refused("POST /register", { body });
  expect({ status, code: error.code }).toEqual({ status: 403, code: "not_allowed" });
  expect(error.message).toContain("by invitation");
  const accounts = await mustRun(closed.dir, ["account", "list", "--json"]);
  expect(accounts).not.toContain("new@example.org");
});

test("where it is open, whoever comes has an account, its balance, and is signed in", async () => {
  const browser = open.browser();
  expect((await browser.call("GET /house")).registration).toBe(true);
  await browser.call("POST /register", { body });
  const { account } = await browser.call("GET /session");
  expect(account).toMatchObject({
    email: "new@example.org",
    role: "holder",
    language: "zh",
    balance_usd: "0.50",
  });
  await open.browser().signIn("new@example.org");
});

test("an e-mail that is taken stays with its holder, however many race for it", async () => {
  changeDatabase(open.dir, "delete from throttles");
  const taken = await open.browser().refused("POST /register", { body: { ...body, email: OPERATOR } });
  expect({ status: taken.status, path: taken.error.fields?.[0]?.path }).toEqual({
    status: 409,
    path: "email",
  });
  await open.browser().signIn(OPERATOR);
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, at) =>
      open.browser().send("POST /register", {
        body: { email: "raced@example.org", password: `${PASSWORD} ${at}` },
      }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
});

test("weak passwords and what is no e-mail are refused at their field", async () => {
  changeDatabase(open.dir, "delete from throttles");
  const weak = await open.browser().refused("POST /register", { body: { ...body, password: "qwertyuiop" } });
  expect(weak.error.fields?.[0]?.path).toBe("password");
  const odd = await open.browser().refused("POST /register", { body: { ...body, email: "no address" } });
  expect(odd.error.fields?.[0]?.path).toBe("email");
});

test("an address that makes many accounts is slowed down", async () => {
  changeDatabase(open.dir, "delete from throttles");
  const codes: number[] = [];
  for (let round = 0; round < 6; round++) {
    const many = { ...body, email: `many${round}@example.org` };
    codes.push((await open.browser().send("POST /register", { body: many })).status);
  }
  expect(codes).toEqual([200, 200, 200, 200, 200, 429]);
});
