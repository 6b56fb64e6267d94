import { afterAll, beforeAll, expect, test } from "bun:test";
import { generate } from "otplib";
import {
  type Browser,
  type ConsoleRig,
  changeDatabase,
  letProofAge,
  PASSWORD,
  startConsole,
} from "./console-rig.ts";

/** Two-factor on the real server: set up, asked for, used up, lost, ended. */

let rig: ConsoleRig;
let people = 0;

beforeAll(async () => {
  rig = await startConsole();
});
afterAll(() => rig.dispose());

type Holder = { browser: Browser; email: string; secret: string; recovery: string[] };

async function holder(): Promise<Holder> {
  people += 1;
  const email = `holder${people}@example.org`;
  const browser = await rig.invited(email);
  const begun = await browser.call("POST /account/totp");
  const code = await codeOf(begun.secret);
  const { recovery_codes: recovery } = await browser.call("POST /account/totp/confirm", {
    body: { ticket: begun.ticket, code },
  });
  forget();
  return { browser, email, secret: begun.secret, recovery };
}

/** The code of the step that runs now, or of one beside it. */
function codeOf(secret: string, steps = 0): Promise<string> {
  return generate({ secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 });
}

/** As if half a minute had passed: the codes of this moment may be used again. */
function forget(): void {
  changeDatabase(rig.dir, "update profiles set totp_step = null");
}

/** As if everybody had waited long enough. */
function calm(): void {
  changeDatabase(rig.dir, "delete from throttles");
}

async function halfSignedIn(email: string): Promise<{ browser: Browser; ticket: string }> {
  const browser = rig.browser();
  const step = await browser.call("POST /sign-in", { body: { email, password: PASSWORD } });
  if (step.next !== "second_factor") throw new Error("no second factor is asked for");
  expect(browser.cookies.size).toBe(0);
  return { browser, ticket: step.ticket };
}

test("it is not in force before a code of the app has been seen", async () => {
  const browser = await rig.invited("careful@example.org");
  const begun = await browser.call("POST /account/totp");
  expect(begun.secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(new URL(begun.uri).searchParams.get("secret")).toBe(begun.secret);
  expect(decodeURIComponent(begun.uri)).toContain("careful@example.org");
  const wrong = await browser.refused("POST /account/totp/confirm", {
    body: { ticket: begun.ticket, code: await codeOf(begun.secret, 40) },
  });
  expect(wrong).toMatchObject({ status: 400, error: { code: "invalid", fields: [{ path: "code" }] } });
  expect((await browser.call("GET /account")).totp).toEqual({ is_on: false, recovery_codes_left: 0 });
  await rig.browser().signIn("careful@example.org");
});

test("after the password a code is asked for, and each works once", async () => {
  const { email, secret, recovery, browser } = await holder();
  expect(new Set(recovery).size).toBe(10);
  expect((await browser.call("GET /account")).totp).toEqual({ is_on: true, recovery_codes_left: 10 });
  expect((await browser.call("GET /session")).proofs).toEqual(["password", "totp"]);
  const first = await halfSignedIn(email);
  const code = await codeOf(secret);
  const done = await first.browser.call("POST /sign-in/second-factor", {
    body: { ticket: first.ticket, code },
  });
  expect(done).toEqual({ next: "done" });
  expect((await first.browser.call("GET /session")).account.email).toBe(email);
  const again = await rig
    .browser()
    .refused("POST /sign-in/second-factor", { body: { ticket: first.ticket, code } });
  expect(again).toMatchObject({ status: 410, error: { code: "link_invalid" } });
  const second = await halfSignedIn(email);
  const replay = await second.browser.refused("POST /sign-in/second-factor", {
    body: { ticket: second.ticket, code },
  });
  expect(replay).toMatchObject({ status: 403, error: { code: "wrong_sign_in" } });
  // A wrong code leaves the half-done sign-in as it is.
  const next = await codeOf(secret, 1);
  await second.browser.call("POST /sign-in/second-factor", { body: { ticket: second.ticket, code: next } });
});

test("a recovery code lets in once, whoever races, and one fewer is left", async () => {
  const { email, recovery, browser } = await holder();
  const halves = await Promise.all([halfSignedIn(email), halfSignedIn(email), halfSignedIn(email)]);
  const code = (recovery[3] ?? "").toUpperCase().replaceAll("-", " ");
  const statuses = await Promise.all(
    halves.map(async half => {
      const answer = await half.browser.send("POST /sign-in/second-factor", {
        body: { ticket: half.ticket, code },
      });
      return answer.status;
    }),
  );
  expect(statuses.sort()).toEqual([200, 403, 403]);
  expect((await browser.call("GET /account")).totp.recovery_codes_left).toBe(9);
});

test("guesses are counted, and the right code does not help after too many", async () => {
  const { email, secret } = await holder();
  const { browser, ticket } = await halfSignedIn(email);
  const wrong = await codeOf(secret, 40);
  for (let tries = 0; tries < 5; tries += 1) {
    const refused = await browser.refused("POST /sign-in/second-factor", { body: { ticket, code: wrong } });
    expect(refused.error.code).toBe("wrong_sign_in");
  }
  const code = await codeOf(secret);
  const late = await browser.refused("POST /sign-in/second-factor", { body: { ticket, code } });
  expect(late).toMatchObject({ status: 429, error: { code: "throttled" } });
  expect(late.error.retry_after_seconds).toBeGreaterThan(0);
  calm();
  await browser.call("POST /sign-in/second-factor", { body: { ticket, code } });
});

test("to confirm who is there takes the password and a code", async () => {
  const { browser, secret, email } = await holder();
  letProofAge(rig.dir, email);
  expect((await browser.refused("DELETE /account/totp")).error.code).toBe("recent_sign_in_needed");
  const code = await codeOf(secret);
  const without = await browser.refused("POST /session/confirm", { body: { password: PASSWORD } });
  expect(without).toMatchObject({ status: 400, error: { fields: [{ path: "code" }] } });
  const bare = await browser.refused("POST /session/confirm", { body: { code } });
  expect(bare).toMatchObject({ status: 400, error: { fields: [{ path: "password" }] } });
  const wrong = await browser.refused("POST /session/confirm", { body: { password: "not it at all", code } });
  expect(wrong).toMatchObject({ status: 403, error: { code: "wrong_sign_in" } });
  expect((await browser.refused("DELETE /account/totp")).error.code).toBe("recent_sign_in_needed");
  const session = await browser.call("POST /session/confirm", { body: { password: PASSWORD, code } });
  expect(Date.parse(session.recent_until)).toBeGreaterThan(Date.now());
  const used = await browser.refused("POST /session/confirm", { body: { password: PASSWORD, code } });
  expect(used.error.code).toBe("wrong_sign_in");
  await browser.call("DELETE /account/totp");
  expect((await browser.call("GET /session")).proofs).toEqual(["password"]);
});

test("ended, it asks no longer, and its codes are worth nothing", async () => {
  const { browser, email, secret, recovery } = await holder();
  const { ticket, browser: half } = await halfSignedIn(email);
  await browser.call("DELETE /account/totp");
  for (const code of [await codeOf(secret), recovery[0] ?? ""]) {
    expect((await half.refused("POST /sign-in/second-factor", { body: { ticket, code } })).status).toBe(403);
  }
  await rig.browser().signIn(email);
  expect((await browser.call("GET /account")).totp).toEqual({ is_on: false, recovery_codes_left: 0 });
});

test("new recovery codes take the place of the old ones", async () => {
  const { browser, email, recovery } = await holder();
  const { recovery_codes: fresh } = await browser.call("POST /account/totp/recovery-codes");
  expect(new Set([...fresh, ...recovery]).size).toBe(20);
  const { ticket, browser: half } = await halfSignedIn(email);
  const old = { ticket, code: recovery[0] ?? "" };
  expect((await half.refused("POST /sign-in/second-factor", { body: old })).status).toBe(403);
  await half.call("POST /sign-in/second-factor", { body: { ticket, code: fresh[9] ?? "" } });
  await browser.call("DELETE /account/totp");
  expect((await browser.refused("POST /account/totp/recovery-codes")).status).toBe(409);
});

test("one account's set-up is of no use to another, and the second app waits for the end of the first", async () => {
  const { browser } = await holder();
  const conflict = await browser.refused("POST /account/totp");
  expect(conflict).toMatchObject({ status: 409, error: { code: "conflict" } });
  const mallory = await rig.invited("mallory@example.org");
  const victim = await rig.invited("victim@example.org");
  const { ticket, secret } = await victim.call("POST /account/totp");
  const body = { ticket, code: await codeOf(secret) };
  expect((await mallory.refused("POST /account/totp/confirm", { body })).status).toBe(410);
  expect((await mallory.call("GET /account")).totp.is_on).toBe(false);
});

test("neither the secret nor a recovery code stands in the database or the log in clear", async () => {
  const { secret, recovery } = await holder();
  const files = ["wicketgate.db", "wicketgate.db-wal"].map(name => Bun.file(`${rig.dir}/${name}`));
  const bytes = Buffer.concat(
    await Promise.all(files.map(async file => Buffer.from(await file.arrayBuffer()))),
  );
  for (const text of [secret, ...recovery]) {
    expect(bytes.includes(text)).toBe(false);
    expect(rig.gateway.log()).not.toContain(text);
  }
});
