import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { CANARY, listing, type UpstreamRig, upstreamRig } from "./cli-upstream-rig.ts";

let rig: UpstreamRig;
beforeEach(async () => {
  rig = await upstreamRig();
});
afterEach(() => rig.end());

const SECOND = "sk-second-9876543210jihgfedcba";
const env = { THE_KEY: CANARY, OTHER_KEY: SECOND };
const keysSeen = () => rig.upstream.received.map(({ headers }) => headers.get("authorization"));
const add = (stdin: string, ...more: string[]) => {
  const given = [
    "upstream",
    "add",
    "mine",
    "--kind",
    "openai-compatible",
    "--base-url",
    rig.upstream.baseUrl,
  ];
  return rig.run([...given, "--api-key-stdin", "--all", ...more], { stdin });
};
type Listed = { id: string; short_id: string; preview: string; created_at: string | null };
const listed = async () =>
  JSON.parse((await rig.run(["upstream", "key", "list", "mine", "--json"])).out) as Listed[];

describe("upstream add", () => {
  test("takes several keys, one in a line, asks with each, and shows none", async () => {
    const { code, out } = await add(`${CANARY}\n\n${SECOND}\r\n`, "--max-concurrency", "4", "--probe", "10");
    expect(code).toBe(0);
    expect(keysSeen()).toEqual([`Bearer ${CANARY}`, `Bearer ${SECOND}`]);
    const [saved] = await rig.saved();
    expect(saved).toMatchObject({ max_concurrency: 4, probe_minutes: 10 });
    expect((await listed()).map(({ preview }) => preview)).toEqual(["…ghij", "…dcba"]);
    for (const hidden of [CANARY, SECOND]) expect(out + JSON.stringify(saved)).not.toContain(hidden);
  });

  test("says which of them is refused, and saves nothing", async () => {
    const well = listing("alpha");
    rig.upstream.script(exchange =>
      exchange.received.headers.get("authorization") === `Bearer ${SECOND}`
        ? exchange.reply(401, "{}")
        : well(exchange),
    );
    await rig.expectRefused(add(`${CANARY}\n${SECOND}\n`), /^Of the keys, number 2: .*key/);
  });

  test("refuses the same one twice", async () => {
    await rig.expectRefused(add(`${CANARY}\n${CANARY}\n`), /already/);
  });
});

describe("upstream key", () => {
  test("add, list and remove work by id, and upstream test tries each of them", async () => {
    await rig.add("--all");
    const added = await rig.run(["upstream", "key", "add", "mine", "--api-key-env", "OTHER_KEY"], { env });
    expect([added.code, added.out]).toEqual([
      0,
      expect.stringMatching(/^The upstream “mine” has one more key: /),
    ]);
    const [first, second] = await listed();
    expect(first?.id.endsWith(first.short_id)).toBe(true);
    const tested = JSON.parse((await rig.run(["upstream", "test", "mine", "--json"])).out) as {
      keys: unknown;
    };
    expect(tested.keys).toEqual([
      { id: first?.short_id, ok: true },
      { id: second?.short_id, ok: true },
    ]);
    const well = listing("alpha", "beta");
    rig.upstream.script(exchange =>
      exchange.received.headers.get("authorization") === `Bearer ${SECOND}`
        ? exchange.reply(401, `{"error":"${SECOND}"}`)
        : well(exchange),
    );
    const failing = await rig.run(["upstream", "test", "mine"]);
    expect([failing.code, failing.out.includes(`✗ the key ${second?.short_id}`)]).toEqual([1, true]);
    expect(failing.out).not.toContain(SECOND);
    const removed = await rig.run(["upstream", "key", "remove", "mine", second?.short_id ?? ""]);
    expect(removed.out).toBe(`The key ${second?.short_id} of “mine” is removed; one is left.\n`);
    expect(await listed()).toHaveLength(1);
  });

  test("each mistake is a sentence", async () => {
    await rig.add("--all");
    const refused: [string[], string, RegExp][] = [
      [["key", "add", "nobody", "--api-key-stdin"], `${SECOND}\n`, /There is no upstream of this name/],
      [["key", "add", "mine", "--api-key-stdin"], `${CANARY}\n`, /has this very key already/],
      [["key", "add", "mine", "--api-key-stdin"], "with a blank\n", /The key must be one run/],
      [["key", "add", "mine", "--api-key-stdin"], "", /There is no key/],
      [["key", "remove", "mine", "zzzz"], "", /no key of that id/],
      [["key", "list", "nobody"], "", /There is no upstream of this name/],
      [["reset", "nobody"], "", /There is no upstream of this name/],
      [["health", "--name", "nobody"], "", /There is no upstream of this name/],
    ];
    for (const [args, stdin, sentence] of refused) {
      const { code, out, err } = await rig.run(["upstream", ...args], { stdin });
      expect([code, out]).toEqual([1, ""]);
      expect(err).toMatch(sentence);
      expect(err).not.toContain(stdin.trim() === "" ? CANARY : stdin.trim());
    }
    const missing = await rig.run(["upstream", "key", "add", "mine", "--api-key-env", "NOT_SET"]);
    expect(missing.code).toBe(2);
    const wrong = await rig.run(["upstream", "key", "rename", "mine"]);
    expect([wrong.code, wrong.err.includes("key add, key list, key remove")]).toEqual([2, true]);
  });
});
