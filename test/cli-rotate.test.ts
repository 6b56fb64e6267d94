import { afterAll, beforeAll, expect, test } from "bun:test";
import { applyYaml, freshDir, mustRun, removeDir, startGateway, wicketgate } from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";

let dir: string;
beforeAll(() => {
  dir = freshDir();
});
afterAll(() => removeDir(dir));

const CUSTOM = "tR8vK2mXq9ZwB4nJ7cL1-pH6sD3fY5gA";
const yaml = (key: string) => `
models: [{ name: m, price: { input: 1, output: 1 } }]
groups: [{ name: default, models: [m] }]
accounts: [{ email: ann@example.org, balance: 1 }]
keys: [{ account: ann@example.org, name: laptop, group: default${key} }]
`;

async function onlyKey(of: string): Promise<string> {
  const keys = JSON.parse(await mustRun(of, ["key", "list", "--json"])) as { id: string }[];
  expect(keys).toHaveLength(1);
  return keys[0]?.id ?? "";
}

test("a key is rotated by its id; its string and name in that place are not repeated", async () => {
  await applyYaml(dir, yaml(`, key: ${CUSTOM}`));
  const id = await onlyKey(dir);
  const rotated = JSON.parse(await mustRun(dir, ["key", "rotate", id, "--json"])) as Record<string, string>;
  expect(Object.keys(rotated)).toEqual(["id", "key", "old_until"]);
  expect(rotated["key"]).toMatch(/^wgk_\w{49}$/);
  const wrong = await wicketgate(dir, ["key", "rotate", CUSTOM]);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).not.toContain(CUSTOM);
  const none = await wicketgate(dir, ["key", "rotate", "key_0000000000abcdefghjkmnpqrs"]);
  expect(none).toMatchObject({ code: 1, stdout: "" });
  for (const grace of ["31d", "-1h", "soon", "5"]) {
    const refused = await wicketgate(dir, ["key", "rotate", id, "--grace", grace]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("--grace");
  }
});

test("a file that names a string which was rotated away is refused with that sentence", async () => {
  const again = await wicketgate(dir, ["apply", "-"], { stdin: yaml(`, key: ${CUSTOM}`) });
  expect(again.code).not.toBe(0);
  expect(again.stderr + again.stdout).toContain("replaced by rotation");
  expect(again.stderr + again.stdout).not.toContain(CUSTOM);
  const without = await wicketgate(dir, ["apply", "-"], { stdin: yaml("") });
  expect(without).toMatchObject({ code: 0 });
});

test("a start says nothing of a demo key that has been rotated, and begins all the same when it is deleted", async () => {
  const own = freshDir();
  try {
    const first = await startGateway(own);
    const key = first.demoKey ?? "";
    const id = await onlyKey(own);
    const rotated = JSON.parse(await mustRun(own, ["key", "rotate", id, "--json"])) as { key: string };
    const served = await chat(first.base, { key: rotated.key, body: chatBody("demo") });
    expect(served.status).toBe(200);
    expect((await chat(first.base, { key, body: chatBody("demo") })).error?.reason).toBe("key_replaced");
    await first.stop();
    const second = await startGateway(own);
    expect(second.demoKey).toBe(null);
    await mustRun(own, ["key", "delete", id]);
    await second.stop();
    const third = await startGateway(own);
    expect(third.demoKey).toBe(null);
    expect(await third.stop()).toBe(0);
  } finally {
    removeDir(own);
  }
});
