import { afterAll, beforeAll, expect, test } from "bun:test";
import { throttleOf } from "../src/console/sign-in/throttle.ts";
import { type ConsoleRig, changeDatabase, PASSWORD, startConsole } from "./console-rig.ts";

/** Behind a proxy, so that tries can come from many addresses. */

const EMAIL = "ann@example.org";
const HOME = "198.51.100.7";

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await startConsole({ WICKETGATE_TRUSTED_PROXIES: "127.0.0.0/8" });
  await rig.invited(EMAIL);
  expect((await tryFrom(HOME, PASSWORD)).status).toBe(200);
});
afterAll(() => rig.dispose());

async function tryFrom(address: string, password: string) {
  const headers = { "x-forwarded-for": address };
  const answer = await rig.browser().send("POST /sign-in", { body: { email: EMAIL, password }, headers });
  const text = await answer.text();
  return { status: answer.status, code: (JSON.parse(text) as { error?: { code: string } }).error?.code };
}

test("strangers from everywhere are slowed down, and keep nobody out who has been here before", async () => {
  // As after a hundred tries from a hundred addresses.
  const { owner, burst, everyMs } = throttleOf("sign-in e-mail", EMAIL);
  const arrivalNs = (Date.now() + burst * everyMs) * 1e6;
  changeDatabase(
    rig.dir,
    "insert or replace into throttles (owner, arrival_ns) values (?, ?)",
    owner,
    arrivalNs,
  );
  for (const address of ["203.0.113.1", "203.0.113.2", "2001:db8::1"]) {
    expect(await tryFrom(address, PASSWORD)).toEqual({ status: 429, code: "throttled" });
  }
  expect((await tryFrom(HOME, PASSWORD)).status).toBe(200);
  // Not even from there may it be tried for ever.
  const codes: (string | undefined)[] = [];
  for (let round = 0; round < 12; round++) codes.push((await tryFrom(HOME, "guess after guess")).code);
  expect(codes.filter(code => code === "wrong_sign_in")).toHaveLength(10);
  expect(codes.slice(10)).toEqual(["throttled", "throttled"]);
});

test("a network of IPv6 addresses counts as one", async () => {
  changeDatabase(rig.dir, "delete from throttles");
  const codes: (string | undefined)[] = [];
  for (let host = 1; host <= 12; host++) {
    codes.push((await tryFrom(`2001:db8:7:7::${host.toString(16)}`, "guess after guess")).code);
  }
  expect(codes.slice(10)).toEqual(["throttled", "throttled"]);
  expect((await tryFrom("2001:db8:7:8::1", "guess after guess")).code).toBe("wrong_sign_in");
});

test("who calls is not believed from whoever is no proxy", async () => {
  const plain = await startConsole();
  const codes: string[] = [];
  for (let round = 0; round < 11; round++) {
    const body = { email: "x@example.org", password: "guess after guess" };
    const headers = { "x-forwarded-for": `203.0.113.${round}` };
    codes.push((await plain.browser().refused("POST /sign-in", { body, headers })).error.code);
  }
  expect(codes.at(-1)).toBe("throttled");
  await plain.dispose();
});
