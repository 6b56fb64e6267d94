import { afterAll, beforeAll, expect, test } from "bun:test";
import { NOTICE_EVENTS } from "../src/domain/notice.ts";
import { type CliRig, cliRig } from "./cli-rig.ts";
import { type Hook, startHook } from "./webhook-hook.ts";

/** Webhooks by the command line, by the same rules as in the console. */

let rig: CliRig;
let hook: Hook;
const env = { WICKETGATE_PRIVATE_UPSTREAMS: "127.0.0.1" };
beforeAll(async () => {
  rig = cliRig();
  hook = startHook();
  await rig.run(["account", "add", "ann@example.org"]);
});
afterAll(() => {
  hook.close();
  rig.dispose();
});

const NONE = "whk_00000000000000000000000000";
const webhook = (...argv: string[]) => rig.run(["webhook", ...argv], { env });
const listed = async () => JSON.parse((await webhook("list", "--json")).out) as Record<string, unknown>[];

test("one is made, listed, tested and removed", async () => {
  expect((await webhook("list")).out).toContain("There are no webhooks.");
  const made = await webhook(
    "add",
    hook.url,
    "--name",
    "ours",
    "--events",
    "key.created, key.deleted",
    "--json",
  );
  const { id, secret, ...rest } = JSON.parse(made.out) as { id: string; secret: string };
  expect(rest).toEqual({});
  hook.secret = secret;
  expect(await listed()).toEqual([
    {
      ...{ id, name: "ours", url: hook.url, events: ["key.created", "key.deleted"], enabled: true },
      ...{ created_at: expect.any(String), failing_since: null },
      ...{ old_secret_until: null, last_delivery: null },
    },
  ]);
  const sent = await webhook("test", id);
  expect(sent).toMatchObject({ code: 0, out: expect.stringContaining("it has arrived (200)") });
  expect(hook.arrived).toMatchObject([{ type: "webhook.test", isSigned: true }]);
  hook.answer = () => new Response("no \u001b[31m", { status: 500 });
  const failed = await webhook("test", id, "--json");
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.out)).toMatchObject({ state: "given_up", status: 500 });
  expect((await webhook("test", id)).out).toContain("The receiver fails (500, and says: no [31m)");
  const { out } = await webhook("list");
  expect(out).toContain("failing since");
  expect(out).not.toContain(secret);
  expect((await webhook("remove", id)).out).toBe(`The webhook “ours” (${id}) is removed.\n`);
  expect(await listed()).toEqual([]);
});

test("without a choice it is told of everything, and its secret stands alone on a line", async () => {
  const { out } = await webhook("add", "https://example.org/in", "--name", "all");
  expect(out).toMatch(/\n {2}whsec_[\w+/]{43}=\n$/);
  const [one] = await listed();
  expect(one?.["events"]).toEqual([...NOTICE_EVENTS]);
  await webhook("remove", String(one?.["id"]));
});

test("a new secret is shown once, and for a day the old one signs beside it", async () => {
  hook.answer = () => new Response("thanks");
  const made = await webhook("add", hook.url, "--name", "ours", "--json");
  const { id, secret } = JSON.parse(made.out) as { id: string; secret: string };
  const renewed = await webhook("secret", id, "--json");
  const answer = JSON.parse(renewed.out) as { id: string; secret: string; old_secret_until: string };
  expect(answer).toEqual({
    id,
    secret: expect.stringMatching(/^whsec_/),
    old_secret_until: expect.any(String),
  });
  expect(answer.secret).not.toBe(secret);
  expect(Date.parse(answer.old_secret_until)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  for (const known of [secret, answer.secret]) {
    hook.secret = known;
    expect((await webhook("test", id)).code).toBe(0);
    expect(hook.arrived.at(-1)?.isSigned).toBe(true);
  }
  expect(await listed()).toMatchObject([{ old_secret_until: answer.old_secret_until }]);
  const { out } = await webhook("secret", id);
  expect(out).toMatch(/\n {2}whsec_[\w+/]{43}=\n\nUntil .* messages are signed with the old one, too\.\n$/);
  await webhook("remove", id);
});

test.each([
  [["add", "http://example.org", "--name", "n"], 1, "must begin with https://"],
  [["add", "https://10.0.0.1/", "--name", "n"], 1, "private address"],
  [["add", "https://example.org/", "--name", " "], 1, "A webhook needs a name."],
  [["add", "https://example.org/", "--name", "n", "--events", "all"], 2, "--events has only these"],
  [["test", NONE], 1, "There is no webhook"],
  [["remove", NONE], 1, "There is no webhook"],
  [["secret", NONE], 1, "There is no webhook"],
  [["remove", "ours"], 2, "This takes the id of a webhook"],
])("%p is refused", async (argv, code, message) => {
  const ran = await webhook(...argv);
  expect(ran.code).toBe(code);
  expect(ran.err).toContain(message);
  expect(await listed()).toEqual([]);
});
