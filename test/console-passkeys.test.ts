import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  Browser,
  type ConsoleRig,
  changeDatabase,
  letProofAge,
  PASSWORD,
  startConsole,
} from "./console-rig.ts";
import { Authenticator, type Twist } from "./passkey-authenticator.ts";

/** Passkeys on the real server, by an authenticator of software. */

let rig: ConsoleRig;
let origin: string;
let people = 0;

beforeAll(async () => {
  rig = await startConsole();
  // A passkey belongs to a name, so the house is visited under one.
  origin = rig.root.replace("127.0.0.1", "localhost");
});
afterAll(() => rig.dispose());

type Holder = { browser: Browser; email: string };

async function holder(): Promise<Holder> {
  people += 1;
  const email = `holder${people}@example.org`;
  await rig.invited(email);
  const browser = new Browser(origin);
  await browser.signIn(email);
  return { browser, email };
}

async function add(browser: Browser, { name = "laptop", twist = {} as Twist } = {}): Promise<Authenticator> {
  const device = new Authenticator(origin);
  const { ticket, options } = await browser.call("POST /account/passkeys/options");
  const response = device.create(options, twist);
  await browser.call("POST /account/passkeys", { body: { ticket, name, response } });
  return device;
}

async function signIn(device: Authenticator, twist: Twist = {}) {
  const browser = new Browser(origin);
  const { ticket, options } = await browser.call("POST /sign-in/passkey/options");
  const body = { ticket, response: device.get(options, twist) };
  return { browser, body, answer: await browser.send("POST /sign-in/passkey", { body }) };
}

test("a passkey is made, signs in without password or code, and is listed with its last use", async () => {
  const { browser, email } = await holder();
  const device = await add(browser, { name: "Ann's phone 📱" });
  const [before] = (await browser.call("GET /account")).passkeys;
  expect(before).toMatchObject({ name: "Ann's phone 📱", last_used_at: null });
  changeDatabase(
    rig.dir,
    "update profiles set totp = x'00' where account_id in (select account_id from passkeys)",
  );
  const { answer, browser: visitor } = await signIn(device);
  expect(await answer.json()).toEqual({ next: "done" });
  changeDatabase(rig.dir, "update profiles set totp = null");
  expect((await visitor.call("GET /session")).account.email).toBe(email);
  expect((await visitor.call("GET /session")).proofs).toEqual(["password", "passkey"]);
  const [after] = (await browser.call("GET /account")).passkeys;
  expect(Date.parse(after?.last_used_at ?? "")).toBeGreaterThan(Date.now() - 60_000);
});

test("what the browser is asked for demands a holder who is checked, and no passkey twice", async () => {
  const { browser } = await holder();
  const device = await add(browser);
  const { options } = await browser.call("POST /account/passkeys/options");
  expect(options).toMatchObject({
    rp: { id: "localhost", name: "Wicketgate" },
    attestation: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: [{ id: device.id, transports: ["internal", "hybrid"] }],
  });
  const asked = await new Browser(origin).call("POST /sign-in/passkey/options");
  expect(asked.options).toMatchObject({ rpId: "localhost", userVerification: "required" });
  expect(asked.options["allowCredentials"] ?? []).toEqual([]);
});

test("an answer is good once, whoever sends it at the same time", async () => {
  const { browser } = await holder();
  const device = await add(browser);
  const visitor = new Browser(origin);
  const { ticket, options } = await visitor.call("POST /sign-in/passkey/options");
  const body = { ticket, response: device.get(options) };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => new Browser(origin).send("POST /sign-in/passkey", { body })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 410]));
});

describe("is refused, without a session:", () => {
  const TWISTS: readonly (readonly [what: string, twist: Twist])[] = [
    ["an answer for another page", { origin: "https://evil.example" }],
    ["an answer for another host", { rpId: "evil.example" }],
    ["an answer to another challenge", { challenge: Buffer.from("another").toString("base64url") }],
    ["an answer without a holder who was checked", { isVerified: false }],
    ["an answer of another account's handle", { userHandle: Buffer.from("acc_other").toString("base64url") }],
    ["a count that does not go up", { counter: 1 }],
  ];
  for (const [what, twist] of TWISTS) {
    test(what, async () => {
      const { browser } = await holder();
      const device = await add(browser);
      const refused = await signIn(device, twist);
      expect(refused.answer.status).toBe(403);
      expect(refused.browser.cookies.size).toBe(0);
    });
  }

  test("a passkey that nobody has here", async () => {
    const stranger = new Authenticator(origin);
    stranger.create({ rp: { id: "localhost" }, user: { id: "" }, challenge: "x" });
    expect((await signIn(stranger)).answer.status).toBe(403);
  });

  test("one that was removed, and one of an account that is disabled", async () => {
    const { browser, email } = await holder();
    const device = await add(browser);
    const [kept] = (await browser.call("GET /account")).passkeys;
    changeDatabase(rig.dir, "update accounts set enabled = 0 where email = ?", email);
    expect((await signIn(device)).answer.status).toBe(403);
    changeDatabase(rig.dir, "update accounts set enabled = 1 where email = ?", email);
    await browser.call("DELETE /account/passkeys/{id}", { params: { id: kept?.id ?? "" } });
    expect((await signIn(device)).answer.status).toBe(403);
  });

  test("what no browser sends", async () => {
    const visitor = new Browser(origin);
    const { ticket } = await visitor.call("POST /sign-in/passkey/options");
    for (const response of [{}, { id: "a", rawId: "a", type: "public-key", response: {} }, { id: 5 }]) {
      const refused = await visitor.refused("POST /sign-in/passkey", { body: { ticket, response } });
      expect(refused).toMatchObject({
        status: 400,
        error: { code: "invalid", fields: [{ path: "response" }] },
      });
    }
  });
});

describe("adding is refused", () => {
  const TWISTS: readonly (readonly [what: string, twist: Twist])[] = [
    ["for another page", { origin: "https://evil.example" }],
    ["for another host", { rpId: "evil.example" }],
    ["to another challenge", { challenge: Buffer.from("another").toString("base64url") }],
    ["without a holder who was checked", { isVerified: false }],
  ];
  for (const [what, twist] of TWISTS) {
    test(what, async () => {
      const { browser } = await holder();
      const { ticket, options } = await browser.call("POST /account/passkeys/options");
      const response = new Authenticator(origin).create(options, twist);
      const refused = await browser.refused("POST /account/passkeys", {
        body: { ticket, name: "x", response },
      });
      expect(refused.status).toBe(400);
      expect((await browser.call("GET /account")).passkeys).toEqual([]);
    });
  }

  test("with another account's ticket, twice with one, or under a name that cannot be shown", async () => {
    const [ann, bob] = [await holder(), await holder()];
    const { ticket, options } = await ann.browser.call("POST /account/passkeys/options");
    const response = new Authenticator(origin).create(options);
    const body = { ticket, name: "x", response };
    expect((await bob.browser.refused("POST /account/passkeys", { body })).status).toBe(410);
    const turned = { ...body, name: "phone \u202egnp.exe" };
    const named = await ann.browser.refused("POST /account/passkeys", { body: turned });
    expect(named).toMatchObject({ status: 400, error: { fields: [{ path: "name" }] } });
    await ann.browser.call("POST /account/passkeys", { body });
    expect((await ann.browser.refused("POST /account/passkeys", { body })).status).toBe(410);
  });
});

test("somebody else's passkey is not there to be removed", async () => {
  const [ann, bob] = [await holder(), await holder()];
  await add(ann.browser);
  const [kept] = (await ann.browser.call("GET /account")).passkeys;
  const theirs = await bob.browser.refused("DELETE /account/passkeys/{id}", {
    params: { id: kept?.id ?? "" },
  });
  const none = await bob.browser.refused("DELETE /account/passkeys/{id}", { params: { id: "pkey_none" } });
  const bare = ({ status, error }: typeof theirs) => ({ status, code: error.code, message: error.message });
  expect(bare(theirs)).toEqual(bare(none));
  expect(theirs.status).toBe(404);
  expect((await ann.browser.call("GET /account")).passkeys).toHaveLength(1);
});

test("a passkey proves again who is there, and only its own account", async () => {
  const [ann, bob] = [await holder(), await holder()];
  const device = await add(ann.browser);
  await add(bob.browser);
  letProofAge(rig.dir, ann.email);
  expect((await ann.browser.refused("POST /account/passkeys/options")).error.code).toBe(
    "recent_sign_in_needed",
  );
  const asked = await ann.browser.call("POST /session/passkey/options");
  expect(asked.options).toMatchObject({ allowCredentials: [{ id: device.id }] });
  const bobs = await bob.browser.call("POST /session/passkey/options");
  const crossed = { passkey: { ticket: bobs.ticket, response: device.get(bobs.options) } };
  expect((await bob.browser.refused("POST /session/confirm", { body: crossed })).status).toBe(403);
  const passkey = { ticket: asked.ticket, response: device.get(asked.options) };
  await ann.browser.call("POST /session/confirm", { body: { passkey } });
  await ann.browser.call("POST /account/passkeys/options");
  // A challenge for signing in is none for this, nor the other way round.
  const open = await new Browser(origin).call("POST /sign-in/passkey/options");
  const other = { passkey: { ticket: open.ticket, response: device.get(open.options) } };
  expect((await ann.browser.refused("POST /session/confirm", { body: other })).status).toBe(410);
  const none = await holder();
  expect((await none.browser.refused("POST /session/passkey/options")).status).toBe(409);
});

test("at an address without a name it says what to do", async () => {
  const browser = rig.browser();
  const refused = await browser.refused("POST /sign-in/passkey/options");
  expect(refused).toMatchObject({ status: 409, error: { code: "conflict" } });
  expect(refused.error.message).toContain(`open it as ${origin}/console/`);
  await browser.signIn((await holder()).email, PASSWORD);
  expect((await browser.refused("POST /account/passkeys/options")).status).toBe(409);
});
