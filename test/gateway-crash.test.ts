import { afterAll, expect, test } from "bun:test";
import {
  applyYaml,
  freshDir,
  type Gateway,
  keyOf,
  removeDir,
  seeded,
  startGateway,
  usageRows,
  verifyClean,
} from "./harness.ts";
import { askChat, chatBody } from "./harness-client.ts";

/** Killed at any moment under load: no hold is left open, no money is lost or charged twice, no row is missing. */

const ROUNDS = 20;
const CLIENTS = 20;
const dir = freshDir();
const random = seeded(20_261_115);
let gateway: Gateway | null = null;

afterAll(async () => {
  await gateway?.kill();
  removeDir(dir);
});

const names = Array.from({ length: ROUNDS }, (_, round) => `round ${round}`);
const yaml = `
upstreams:
  - name: demo
    kind: demo
    models: { instant: demo-tokens-2, short: demo-delay-2-tokens-4, long: demo-delay-5-tokens-60, silent: demo-delay-2-nousage }
models:
  - { name: instant, max_output_tokens: 1000, price: { input: 1, output: 10 } }
  - { name: short, max_output_tokens: 1000, price: { input: 1, output: 10 } }
  - { name: long, max_output_tokens: 1000, price: { input: 1, output: 10 } }
  - { name: silent, max_output_tokens: 1000, price: { input: 1, output: 10 } }
groups:
  - { name: default, models: [instant, short, long, silent] }
accounts:
  - { email: ann@example.org, balance: 100000 }
keys:
${names.map(name => `  - { account: ann@example.org, name: "${name}", group: default }`).join("\n")}
`;

type Seen = { ids: Set<string>; running: boolean };

/** Asks again and again, and notes each request of which the head of a 200 arrived. */
async function client(base: string, key: string, seen: Seen, at: number): Promise<void> {
  // An answer that is there at once is the hardest: its first byte must not come before its row.
  const model = ["instant", "short", "instant", "long", "silent"][at % 5] ?? "instant";
  const body = chatBody(model, { stream: at % 2 === 0 });
  while (seen.running) {
    try {
      const response = await askChat(base, { key, body });
      if (response.status === 200) seen.ids.add(response.headers.get("x-request-id") ?? "none");
      await response.arrayBuffer();
    } catch {
      // It was killed, as it should be.
      return;
    }
  }
}

test(`SIGKILL under load, ${ROUNDS} times`, async () => {
  const keys = await applyYaml(dir, yaml);
  gateway = await startGateway(dir);
  let whole = 0;
  let interrupted = 0;
  for (const name of names) {
    const { key, id } = keyOf(keys, name);
    const seen: Seen = { ids: new Set(), running: true };
    const base = gateway.base;
    const clients = Array.from({ length: CLIENTS }, (_, at) => client(base, key, seen, at));
    await Bun.sleep(100 + random() * 400);
    await gateway.kill();
    seen.running = false;
    await Promise.all(clients);
    expect(seen.ids.size).toBeGreaterThan(0);

    gateway = await startGateway(dir);
    await verifyClean(dir);
    const rows = await usageRows(dir, id);
    expect(rows.filter(row => row.state === "open")).toEqual([]);
    const onRecord = new Set(rows.map(row => row.id));
    expect([...seen.ids].filter(request => !onRecord.has(request))).toEqual([]);
    whole += rows.filter(row => row.state === "settled").length;
    interrupted += rows.filter(row => row.state === "interrupted").length;
  }
  // Otherwise nothing was tried: each kill must have met requests on their way, and let others finish before.
  expect(whole).toBeGreaterThan(ROUNDS * 5);
  expect(interrupted).toBeGreaterThan(ROUNDS * 5);
}, 180_000);
