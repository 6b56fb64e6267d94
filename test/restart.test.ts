import { afterEach, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { freshDatabase } from "../src/store/postgres/server-test-rig.ts";
import {
  applyYaml,
  eventually,
  freshDir,
  type Gateway,
  keyOf,
  removeDir,
  setEnvironment,
  startGateway,
  usageRows,
  verifyClean,
  wicketgate,
} from "./harness.ts";
import { chatBody, chatHead } from "./harness-client.ts";
import { KeptConnection } from "./harness-kept.ts";

/** A new process takes the port before the old one leaves, and no client notices. */

const isFull = process.env["WICKETGATE_PROVE"] === "full";
const RESTARTS = isFull ? 20 : 3;
const STREAMS = isFull ? 100 : 20;
const REQUESTS_PER_SECOND = 100;
const BETWEEN_MS = isFull ? 1_000 : 300;
const TEST_MS_MAX = isFull ? 600_000 : 120_000;
/** Longer than it takes to start a process and hand the port over, so that each stream lives through a restart. */
const STREAM = "demo-delay-40-tokens-120";

const yaml = `
upstreams: [{ name: demo, kind: demo, models: { long: ${STREAM}, quick: demo } }]
models:
  - { name: long, price: { input: 1, output: 1 } }
  - { name: quick, price: { input: 1, output: 1 } }
groups: [{ name: default, models: [long, quick] }]
accounts: [{ email: ann@example.org, balance: 1000 }]
keys: [{ account: ann@example.org, name: laptop, group: default }]
`;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function house(env: Record<string, string> = {}) {
  const dir = freshDir();
  setEnvironment(dir, env);
  cleanUps.push(() => removeDir(dir));
  const { key } = keyOf(await applyYaml(dir, yaml), "laptop");
  const start = async (more: Record<string, string> = {}): Promise<Gateway> => {
    const gateway = await startGateway(dir, { WICKETGATE_DRAIN_SECONDS: "60", ...more });
    cleanUps.push(gateway.kill);
    return gateway;
  };
  return { dir, key, start };
}

const portOf = ({ url }: Gateway) => new URL(url).port;

type Load = { url: string; key: string };
type Lost = { what: string; why: string };

/** Streams one after the other on many connections, and requests at a steady pace; whatever goes wrong is kept. */
function load({ url, key }: Load) {
  const lost: Lost[] = [];
  const done = { streams: 0, kept: 0, fresh: 0 };
  let isOver = false;
  const request = (model: string, stream: boolean) =>
    chatHead(url, key, JSON.stringify(chatBody(model, { stream })));
  const one = async (connection: KeptConnection, what: keyof typeof done) => {
    const isStream = what === "streams";
    try {
      const { status, text, isWhole } = await connection.ask(request(isStream ? "long" : "quick", isStream));
      const isGood = status === 200 && isWhole && (!isStream || text.includes("data: [DONE]"));
      if (isGood) done[what] += 1;
      else lost.push({ what, why: text === "" ? "no answer" : text.slice(0, 300) + text.slice(-300) });
    } catch (error) {
      lost.push({ what, why: String(error) });
    }
  };
  const streaming = async () => {
    const connection = new KeptConnection(url);
    while (!isOver) await one(connection, "streams");
    connection.close();
  };
  const idle: KeptConnection[] = [];
  const onKept = async () => {
    const connection = idle.shift() ?? new KeptConnection(url);
    await one(connection, "kept");
    idle.push(connection);
  };
  const onFresh = async () => {
    const connection = new KeptConnection(url);
    await one(connection, "fresh");
    connection.close();
  };
  const asked: Promise<void>[] = Array.from({ length: STREAMS }, streaming);
  const pace = setInterval(() => asked.push(onKept(), onFresh()), 2_000 / REQUESTS_PER_SECOND);
  const end = async () => {
    isOver = true;
    clearInterval(pace);
    await Promise.all(asked);
    for (const connection of idle) connection.close();
    return { lost, done };
  };
  return { end };
}

const databases: Record<string, () => Promise<Record<string, string>>> = {
  SQLite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: await freshDatabase() }),
};

describe.each(Object.keys(databases))("on %s, a gateway that is started again while it runs", database => {
  test(
    `${RESTARTS} times, under ${STREAMS} streams and ${REQUESTS_PER_SECOND} requests a second, loses and refuses none`,
    async () => {
      const { dir, key, start } = await house(await databases[database]?.());
      let gateway = await start();
      const { url } = gateway;
      const working = load({ url, key });
      const left: Promise<number>[] = [];
      for (let restart = 0; restart < RESTARTS; restart++) {
        await Bun.sleep(BETWEEN_MS);
        const next = await start({ PORT: portOf(gateway) });
        left.push(gateway.exited);
        gateway = next;
      }
      await Bun.sleep(BETWEEN_MS);
      const { lost, done } = await working.end();
      expect(lost).toEqual([]);
      // Each process left by itself when its streams were done.
      expect(await Promise.all(left)).toEqual(left.map(() => 0));
      expect(await gateway.stop()).toBe(0);
      expect(done.streams).toBeGreaterThanOrEqual(STREAMS);
      if (isFull) process.stdout.write(`${JSON.stringify(done)}\n`);
      const rows = await usageRows(dir);
      expect(rows.length).toBe(done.streams + done.kept + done.fresh);
      expect(rows.filter(({ state, status }) => state !== "settled" || status !== 200)).toEqual([]);
      await verifyClean(dir);
      expect(readdirSync(dir).filter(name => name.startsWith("handover"))).toEqual([]);
    },
    TEST_MS_MAX,
  );
});

describe("a gateway that is started again on its port while it runs", () => {
  test("resets none of the connections that are made as fast as they can be", async () => {
    const { start } = await house();
    let gateway = await start();
    const { url } = gateway;
    const request = `GET /healthz HTTP/1.1\r\nhost: ${new URL(url).host}\r\nconnection: close\r\n\r\n`;
    const bad: string[] = [];
    let good = 0;
    let isOver = false;
    const knocking = async () => {
      while (!isOver) {
        const answer = await new KeptConnection(url).ask(request).catch(String);
        if (typeof answer !== "string" && answer.status === 200) good += 1;
        else bad.push(JSON.stringify(answer));
      }
    };
    const knockers = Array.from({ length: 16 }, knocking);
    for (let restart = 0; restart < 3; restart++) {
      const next = await start({ PORT: portOf(gateway) });
      expect(await gateway.exited).toBe(0);
      gateway = next;
    }
    isOver = true;
    await Promise.all(knockers);
    expect(bad).toEqual([]);
    expect(good).toBeGreaterThan(1_000);
  });

  test("answers a kept connection once more, closes it, and goes when the last one has", async () => {
    const { key, start } = await house();
    const old = await start();
    const kept = new KeptConnection(old.url);
    const ask = () => kept.ask(chatHead(old.url, key, JSON.stringify(chatBody("quick"))));
    expect((await ask()).status).toBe(200);
    await start({ PORT: portOf(old) });
    await eventually(() => old.log().includes("server.replaced"));
    // Well after it has left the port, its old connections are still served.
    await Bun.sleep(2_500);
    const last = await ask();
    expect(last).toMatchObject({ status: 200, isWhole: true });
    expect(last.text.toLowerCase()).toContain("\r\nconnection: close\r\n");
    expect(kept.connections).toBe(1);
    expect(await old.exited).toBe(0);
    expect((await ask()).status).toBe(200);
    expect(kept.connections).toBe(2);
    kept.close();
  });

  test("can be told to drain first: then the next one takes the port from it", async () => {
    const { dir, key, start } = await house();
    const old = await start();
    const stream = new KeptConnection(old.url);
    const streaming = stream.ask(chatHead(old.url, key, JSON.stringify(chatBody("long", { stream: true }))));
    await eventually(async () => (await usageRows(dir)).length === 1);
    process.kill(old.pid, "SIGTERM");
    const next = await start({ PORT: portOf(old) });
    const fresh = await new KeptConnection(next.url).ask(
      chatHead(old.url, key, JSON.stringify(chatBody("quick"))),
    );
    expect(fresh.status).toBe(200);
    expect((await streaming).text).toContain("data: [DONE]");
    stream.close();
    expect(await old.exited).toBe(0);
    expect(await next.stop()).toBe(0);
    await verifyClean(dir);
  });
});

/** Says something at the door, and gives what it answered; with `leaves` it goes after the first word. */
function tell(unix: string, words: string, { leaves = false } = {}): Promise<string> {
  return new Promise(resolve => {
    let text = "";
    const data = (socket: { end: () => void }, bytes: Uint8Array) => {
      text += Buffer.from(bytes).toString();
      if (leaves) socket.end();
    };
    const open = (socket: { write: (words: string) => unknown }) => void socket.write(words);
    void Bun.connect({ unix, socket: { open, data, close: () => resolve(text) } });
  });
}

describe("a port that somebody else has", () => {
  test("is not shared with a gateway on other data, nor taken from it", async () => {
    const { start } = await house();
    const other = await house();
    const holder = await start();
    const { code, stderr } = await wicketgate(other.dir, ["serve"], { env: { PORT: portOf(holder) } });
    expect(code).toBe(1);
    expect(stderr).toContain("is in use");
    expect((await fetch(`${holder.url}/readyz`)).status).toBe(200);
    expect(holder.log()).not.toContain("server.replaced");
    expect(await holder.stop()).toBe(0);
  });

  test("is not shared with a successor that says the wrong thing, or nothing", async () => {
    const { dir, start } = await house();
    const holder = await start();
    const door = readdirSync(dir).find(name => name.startsWith("handover-")) ?? "";
    for (const words of [
      "hello\n",
      '{"say":"join","host":"0.0.0.0","port":1}\n',
      '{"say":"taken"}\n',
      "x".repeat(5_000),
    ]) {
      expect(await tell(`${dir}/${door}`, words)).toBe('{"say":"no"}\n');
    }
    expect(holder.log()).not.toContain("server.replaced");
    expect(await holder.stop()).toBe(0);
  });

  test("stays with its holder when the successor dies on its way in", async () => {
    const { dir, start } = await house();
    const holder = await start();
    const { hostname: host, port } = new URL(holder.url);
    const door = readdirSync(dir).find(name => name.startsWith("handover-")) ?? "";
    const join = `${JSON.stringify({ say: "join", host, port: Number(port) })}\n`;
    expect(await tell(`${dir}/${door}`, join, { leaves: true })).toBe('{"say":"welcome"}\n');
    await Bun.sleep(100);
    // Nobody may listen beside it any more, and it answers as before.
    const listen = () => Bun.serve({ hostname: host, port, reusePort: true, fetch: () => new Response() });
    expect(listen).toThrow();
    // Without keeping the connection, which it would wait for.
    expect((await fetch(`${holder.url}/readyz`, { keepalive: false })).status).toBe(200);
    const next = await start({ PORT: port });
    expect(await holder.exited).toBe(0);
    expect((await fetch(`${next.url}/readyz`)).status).toBe(200);
  });
});
