import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ConsoleRig, changeDatabase, OPERATOR, PASSWORD, startConsole } from "./console-rig.ts";
import { mustRun } from "./harness.ts";

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsole();
});
afterAll(() => rig.dispose());

/** Tests share an address; none must wait for the tries of another. */
function forgetTries(): void {
  changeDatabase(rig.dir, "delete from throttles");
}

async function wrong(email: string, password: string) {
  const { status, error } = await rig.browser().refused("POST /sign-in", { body: { email, password } });
  return { status, code: error.code, message: error.message };
}

describe("signing in", () => {
  test("gives a session that says who is there, and a cookie that only this host gets back", async () => {
    const browser = rig.browser();
    const answer = await browser.send("POST /sign-in", { body: { email: OPERATOR, password: PASSWORD } });
    const [cookie = ""] = answer.headers.getSetCookie();
    const [pair, ...flags] = cookie.split("; ");
    expect(pair).toMatch(/^__Host-wicketgate=[\w-]{43}$/);
    expect(flags.sort()).toEqual(["HttpOnly", "Max-Age=34560000", "Path=/", "SameSite=Strict", "Secure"]);
    const session = await browser.call("GET /session");
    expect(session.account).toMatchObject({ email: OPERATOR, role: "operator" });
    expect(session.proofs).toEqual(["password"]);
    expect(Date.parse(session.recent_until) - Date.parse(session.signed_in_at)).toBe(15 * 60_000);
    expect(Date.parse(session.expires_at) - Date.parse(session.signed_in_at)).toBe(30 * 86_400_000);
  });

  test("takes the e-mail in any case and with spaces around it, and the password however it is composed", async () => {
    await rig.browser().signIn(` ${OPERATOR.toUpperCase()} `);
    const { link } = await rig.operator.call("POST /operator/invitations", {
      body: { email: "umlaut@example.org", role: "holder" },
    });
    await rig.browser().enterBy(link, { password: "ein Törchen im Tor" });
    await rig.browser().signIn("umlaut@example.org", "ein Törchen im Tor".normalize("NFD"));
  });

  test("keeps no token and no password in the database", async () => {
    const browser = rig.browser();
    await browser.signIn(OPERATOR);
    const token = browser.cookies.get("__Host-wicketgate") ?? "";
    const bytes = await Promise.all(
      ["wicketgate.db", "wicketgate.db-wal"].map(name => Bun.file(`${rig.dir}/${name}`).bytes()),
    );
    const found = bytes.some(
      file => Buffer.from(file).includes(token) || Buffer.from(file).includes(PASSWORD),
    );
    expect({ length: token.length, found }).toEqual({ length: 43, found: false });
  });

  test("gives a browser a new session each time; the one before is over", async () => {
    const browser = rig.browser();
    await browser.signIn(OPERATOR);
    const before = browser.cookieText();
    await browser.signIn(OPERATOR);
    expect(browser.cookieText()).not.toBe(before);
    const old = await rig.browser().refused("GET /session", { headers: { cookie: before } });
    expect(old.error.code).toBe("not_signed_in");
  });
});

describe("whoever may not sign in", () => {
  test("hears and waits the same: unknown, wrong, disabled, without a password", async () => {
    forgetTries();
    await rig.invited("disabled@example.org");
    await mustRun(rig.dir, ["account", "disable", "disabled@example.org"]);
    await mustRun(rig.dir, ["account", "add", "no-password@example.org"]);
    await rig.invited("ann@example.org");
    const cases = [
      "nobody@example.org",
      "ann@example.org",
      "disabled@example.org",
      "no-password@example.org",
    ];
    const heard = new Set<string>();
    const taken = new Map<string, number[]>(cases.map(email => [email, []]));
    // In turn, so that whatever else the machine does falls on all of them.
    for (let round = 0; round < 5; round++) {
      for (const email of cases) {
        const from = performance.now();
        // The disabled one would be let in by this password.
        const password = email === "disabled@example.org" ? PASSWORD : "not the password";
        heard.add(JSON.stringify(await wrong(email, password)));
        taken.get(email)?.push(performance.now() - from);
      }
    }
    const medians = [...taken.values()].map(times => times.sort((a, b) => a - b)[2] ?? 0);
    expect([...heard]).toEqual([
      JSON.stringify({
        status: 403,
        code: "wrong_sign_in",
        message: "This e-mail and password do not belong together here.",
      }),
    ]);
    // Comparing a password takes most of the time; without it an answer comes many times sooner.
    expect(Math.min(...medians)).toBeGreaterThan(Math.max(...medians) * 0.4);
  });

  test("is slowed down by pair of e-mail and address, and is told for how long", async () => {
    forgetTries();
    const browser = rig.browser();
    const body = { email: "slow@example.org", password: "guess after guess" };
    for (let round = 0; round < 10; round++) {
      expect((await browser.refused("POST /sign-in", { body })).error.code).toBe("wrong_sign_in");
    }
    const late = await browser.refused("POST /sign-in", { body });
    expect(late.status).toBe(429);
    expect(late.error.code).toBe("throttled");
    expect(late.error.retry_after_seconds).toBeGreaterThan(0);
    expect(late.error.retry_after_seconds).toBeLessThanOrEqual(60);
    expect(late.headers.get("retry-after")).toBe(String(late.error.retry_after_seconds));
    // Another e-mail from there may still be tried, until the address itself has tried too often.
    const codes: string[] = [];
    for (let round = 0; round < 25; round++) {
      const other = { email: `other${round}@example.org`, password: "guess after guess" };
      codes.push((await browser.refused("POST /sign-in", { body: other })).error.code);
    }
    expect(codes.slice(0, 20)).toEqual(Array(20).fill("wrong_sign_in"));
    expect(codes.slice(20)).toEqual(Array(5).fill("throttled"));
    forgetTries();
  });

  test("counts tries exactly when they come at once", async () => {
    forgetTries();
    const body = { email: "at-once@example.org", password: "guess after guess" };
    const codes = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await rig.browser().refused("POST /sign-in", { body })).error.code,
      ),
    );
    expect(codes.filter(code => code === "wrong_sign_in")).toHaveLength(10);
    expect(codes.filter(code => code === "throttled")).toHaveLength(10);
    forgetTries();
  });

  test("does not use up the tries of whoever is right", async () => {
    forgetTries();
    for (let round = 0; round < 40; round++) await rig.browser().signIn(OPERATOR);
  });
});

describe("sessions", () => {
  test("are listed with where they are, and each can be signed out", async () => {
    const first = await rig.invited("two-places@example.org");
    const second = rig.browser();
    const headers = {
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    };
    const body = { email: "two-places@example.org", password: PASSWORD };
    await second.send("POST /sign-in", { body, headers });
    const { sessions } = await first.call("GET /sessions");
    expect(sessions).toHaveLength(2);
    expect(sessions.filter(({ is_this }) => is_this)).toHaveLength(1);
    const other = sessions.find(({ is_this }) => !is_this);
    expect(other).toMatchObject({ agent: "Firefox on Linux", address: "127.0.0.1" });
    await first.call("DELETE /sessions/{id}", { params: { id: other?.id ?? "" } });
    expect((await second.refused("GET /session")).status).toBe(401);
    await first.call("GET /session");
    const again = await first.refused("DELETE /sessions/{id}", { params: { id: other?.id ?? "" } });
    expect(again.status).toBe(404);
  });

  test("end everywhere else at once, and here when asked", async () => {
    const here = await rig.invited("everywhere@example.org");
    const others = [rig.browser(), rig.browser()];
    for (const other of others) await other.signIn("everywhere@example.org");
    await here.call("DELETE /sessions");
    for (const other of others) expect((await other.refused("GET /session")).status).toBe(401);
    const before = here.cookieText();
    await here.call("DELETE /session");
    expect(here.cookies.size).toBe(0);
    expect((await rig.browser().refused("GET /session", { headers: { cookie: before } })).status).toBe(401);
  });

  test("of a disabled account are over at once, and stay so when it is enabled again", async () => {
    const browser = await rig.invited("comes-back@example.org");
    await mustRun(rig.dir, ["account", "disable", "comes-back@example.org"]);
    expect((await browser.refused("GET /session")).error.code).toBe("not_signed_in");
    await mustRun(rig.dir, ["account", "enable", "comes-back@example.org"]);
    expect((await browser.refused("GET /session")).error.code).toBe("not_signed_in");
    await browser.signIn("comes-back@example.org");
  });

  test("see a changed role on the next call", async () => {
    const browser = await rig.invited("was-operator@example.org", { role: "operator" });
    await browser.call("GET /operator/accounts");
    changeDatabase(rig.dir, "update accounts set role = 'holder' where email = 'was-operator@example.org'");
    expect((await browser.refused("GET /operator/accounts")).error.code).toBe("not_allowed");
  });

  test("live as long as they are used, and end a month after", async () => {
    const browser = await rig.invited("month@example.org");
    const day = 86_400_000;
    const age = (days: number) =>
      changeDatabase(
        rig.dir,
        `update sessions set seen_at_ms = seen_at_ms - ${days * day}, expires_at_ms = expires_at_ms - ${days * day}
          where account_id = (select id from accounts where email = 'month@example.org')`,
      );
    age(29);
    await browser.call("GET /session");
    age(29);
    await browser.call("GET /session");
    age(31);
    expect((await browser.refused("GET /session")).error.code).toBe("not_signed_in");
  });
});
