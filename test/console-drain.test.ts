import { expect, test } from "bun:test";
import { Browser, OPERATOR } from "./console-rig.ts";
import { applyYaml, freshDir, keyOf, removeDir, startGateway } from "./harness.ts";

const yaml = `
upstreams:
  - { name: demo, kind: demo, speaks: [chat], models: { slow: demo-delay-20-tokens-150 } }
models: [{ name: slow, price: { input: 1, output: 1 } }]
groups: [{ name: default, models: [slow] }]
accounts: [{ email: ann@example.org, balance: 10 }]
keys: [{ account: ann@example.org, name: laptop, group: default }]
`;

test("while running requests finish, the console goes on answering", async () => {
  const dir = freshDir();
  const { key } = keyOf(await applyYaml(dir, yaml), "laptop");
  const gateway = await startGateway(dir);
  const browser = new Browser(gateway.url);
  await browser.enterBy(gateway.setupLink ?? "", { email: OPERATOR });
  const stream = await fetch(`${gateway.base}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "slow", stream: true, messages: [{ role: "user", content: "Hello" }] }),
  });
  const stopping = gateway.stop();
  await Bun.sleep(100);
  const refused = await fetch(`${gateway.base}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "slow", messages: [] }),
  });
  expect(refused.status).toBe(503);
  expect((await browser.call("GET /session")).account.email).toBe(OPERATOR);
  expect(await stream.text()).toContain("[DONE]");
  expect(await stopping).toBe(0);
  removeDir(dir);
});
