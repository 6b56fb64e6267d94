import { afterEach, describe, expect, test } from "bun:test";
import { type AttemptedRow, logLines, wellAs } from "./failover-rig.ts";
import {
  applyYaml,
  type Environment,
  eventually,
  freshDir,
  type Gateway,
  keyOf,
  mustRun,
  removeDir,
  setEnvironment,
  startGateway,
  usageRows,
  verifyClean,
} from "./harness.ts";
import { chat, chatBody, errorOf } from "./harness-client.ts";
import { type MockUpstream, mockUpstream, type Script } from "./harness-upstream.ts";

/** Several keys of one upstream: who gets which, what a refused one does, and how many requests it takes. */

const SOON_MS = 3_000;
const [ONE, TWO, THREE] = ["first-key-of-the-house-0001", "second-key-of-the-house-0002", "third-key-0003"];

type House = { dir: string; gateway: Gateway; upstream: MockUpstream; other: MockUpstream; key: string };
let house: House | null = null;

type Making = { fields?: string; second?: boolean; env?: Environment };

async function open({ fields = "", second = false, env = {} }: Making = {}): Promise<House> {
  const dir = freshDir();
  const [upstream, other] = [await mockUpstream(wellAs("mine")), await mockUpstream(wellAs("other"))];
  setEnvironment(dir, { WICKETGATE_DEMO: "off", ...env });
  const others = second
    ? `  - { name: other, kind: openai-compatible, base_url: "${other.baseUrl}", priority: 9, models: [a, b] }`
    : "";
  const told = await applyYaml(
    dir,
    `
upstreams:
  - { name: mine, kind: openai-compatible, base_url: "${upstream.baseUrl}", api_keys: [${ONE}, ${TWO}], models: [a, b]${fields} }
${others}
models:
  - { name: a, max_output_tokens: 1000, price: { input: 1, output: 10 } }
  - { name: b, max_output_tokens: 1000, price: { input: 1, output: 10 } }
groups:
  - { name: default, models: [a, b] }
accounts:
  - { email: ann@example.org, balance: 1000 }
keys:
  - { account: ann@example.org, name: laptop, group: default }
`,
  );
  const { key } = keyOf(told, "laptop");
  house = { dir, gateway: await startGateway(dir), upstream, other, key };
  return house;
}

afterEach(async () => {
  if (house === null) return;
  const { dir, gateway, upstream, other } = house;
  house = null;
  try {
    await verifyClean(dir);
  } finally {
    await gateway.stop();
    await Promise.all([upstream.close(), other.close()]);
    removeDir(dir);
  }
});

const ask = ({ gateway, key }: House, model = "a", more: Record<string, unknown> = {}) =>
  chat(gateway.base, { key, body: chatBody(model, more) });

const keysSeen = ({ received }: MockUpstream) =>
  received.map(({ headers }) => headers.get("authorization")?.replace("Bearer ", "") ?? "none");

const countOf = (keys: readonly string[], key: string) => keys.filter(one => one === key).length;

/** One key is refused, with a text that repeats it. */
const refuses = (keys: readonly string[], code = 401): Script => {
  const well = wellAs("mine");
  return exchange => {
    const key = exchange.received.headers.get("authorization")?.replace("Bearer ", "") ?? "";
    if (!keys.includes(key)) return well(exchange);
    return exchange.reply(code, JSON.stringify({ error: { message: `bad key ${key}` } }));
  };
};

async function rows({ dir }: House): Promise<AttemptedRow[]> {
  const found = await eventually(async () => {
    const all = (await usageRows(dir)) as AttemptedRow[];
    return all.every(({ state }) => state !== "open") && all;
  });
  return found ?? [];
}

type Health = {
  upstreams: {
    name: string;
    states: { state: string; why: string; model: string | null; credential: string | null; until: string }[];
    events: { state: string; why: string; model: string | null; credential: string | null }[];
    models: Record<string, unknown>[];
  }[];
};

async function healthOf({ dir }: House): Promise<Health["upstreams"][number]> {
  const { upstreams } = JSON.parse(await mustRun(dir, ["upstream", "health", "--json"])) as Health;
  const found = upstreams.find(({ name }) => name === "mine");
  if (found === undefined) throw new Error("there is one of that name");
  return found;
}

describe("several keys of an upstream", () => {
  test("take turns, and a conversation stays with one of them", async () => {
    const rig = await open();
    for (let at = 0; at < 20; at++) expect((await ask(rig)).status).toBe(200);
    const short = keysSeen(rig.upstream);
    expect([countOf(short, ONE), countOf(short, TWO)]).toEqual([10, 10]);
    const used = new Set<string>();
    for (let talk = 0; talk < 12; talk++) {
      const system = { role: "system", content: `conversation ${talk} `.repeat(200) };
      const from = rig.upstream.received.length;
      for (let turn = 0; turn < 3; turn++) {
        const messages = [system, { role: "user", content: `turn ${turn}` }];
        expect((await ask(rig, "a", { messages })).status).toBe(200);
      }
      const mine = new Set(keysSeen(rig.upstream).slice(from));
      expect(mine.size).toBe(1);
      for (const key of mine) used.add(key);
    }
    expect([...used].toSorted()).toEqual([ONE, TWO].toSorted());
  });

  test("one that is refused is out for every model, and the other answers without the client's notice", async () => {
    const rig = await open();
    rig.upstream.script(refuses([ONE]));
    const seen = await Promise.all(Array.from({ length: 20 }, (_, at) => ask(rig, at % 2 === 0 ? "a" : "b")));
    for (const { status, text } of seen) {
      expect([status, text.includes("This is mine.")]).toEqual([200, true]);
      expect(text).not.toContain("key");
    }
    const before = countOf(keysSeen(rig.upstream), ONE);
    for (let at = 0; at < 10; at++) await ask(rig, at % 2 === 0 ? "a" : "b");
    expect(countOf(keysSeen(rig.upstream), ONE)).toBe(before);
    // However many were refused at once, it is told once.
    const lines = logLines(rig.gateway, "upstream.credential_refused");
    expect(lines).toEqual([
      expect.objectContaining({
        ...{ level: "error", upstream: "mine", why: "status 401" },
        credential: expect.any(String),
      }),
    ]);
    const listed = JSON.parse(await mustRun(rig.dir, ["upstream", "key", "list", "mine", "--json"])) as {
      short_id: string;
      preview: string;
    }[];
    const out = listed.find(({ preview }) => preview === `…${ONE.slice(-4)}`);
    expect(lines[0]?.["credential"]).toBe(out?.short_id ?? "");
    const failed = (await rows(rig)).flatMap(({ attempts }) => attempts);
    expect(failed.length).toBeGreaterThan(0);
    for (const attempt of failed) {
      expect(attempt).toMatchObject({ upstream: "mine", credential: out?.short_id, why: "status 401" });
    }
    const health = await eventually(async () => {
      const found = await healthOf(rig);
      return found.states.length > 0 && found;
    });
    expect(health?.states).toEqual([
      expect.objectContaining({
        ...{ state: "resting", why: "status 401", model: null, credential: out?.short_id },
      }),
    ]);
    const metrics = await (await fetch(`${rig.gateway.url}/metrics`)).text();
    expect(metrics).toContain('wicketgate_upstream_credentials_refused_total{upstream="mine"} 1');
    expect(metrics).toContain(
      `wicketgate_upstream_credential_resting{upstream="mine",credential="${out?.short_id}",model="",state="resting"} 1`,
    );
    for (const text of [metrics, rig.gateway.log(), JSON.stringify(health)]) expect(text).not.toContain(ONE);
  });

  test("a refused one is tried again by one request when its time has passed, and is back when it is taken", async () => {
    const rig = await open({ env: { WICKETGATE_CREDENTIAL_REST_SECONDS: "1" } });
    rig.upstream.script(refuses([ONE]));
    for (let at = 0; at < 6; at++) await ask(rig);
    expect(countOf(keysSeen(rig.upstream), ONE)).toBe(1);
    rig.upstream.script(wellAs("mine"));
    await Bun.sleep(1_100);
    for (let at = 0; at < 10; at++) expect((await ask(rig)).status).toBe(200);
    expect(countOf(keysSeen(rig.upstream), ONE)).toBeGreaterThan(3);
    const states = await eventually(async () => {
      const { events } = await healthOf(rig);
      return events.length >= 3 && events.map(({ state }) => state);
    });
    expect(states).toEqual(["open", "trying", "resting"]);
  });

  test("where all of them are refused, another upstream is asked and this one left alone", async () => {
    const rig = await open({ second: true });
    rig.upstream.script(refuses([ONE, TWO]));
    for (let at = 0; at < 8; at++) {
      const { status, text } = await ask(rig);
      expect([status, text.includes("This is other.")]).toEqual([200, true]);
    }
    expect(keysSeen(rig.upstream).toSorted()).toEqual([ONE, TWO].toSorted());
  });

  test("one that asked for too much is left alone for as long as it is told, for this model, by a date, too", async () => {
    const rig = await open();
    const well = wellAs("mine");
    rig.upstream.script(exchange => {
      const isOne = exchange.received.headers.get("authorization") === `Bearer ${ONE}`;
      if (!isOne || exchange.body["model"] !== "a") return well(exchange);
      const date = new Date(Date.now() + 60_000).toUTCString();
      return exchange.reply(429, "{}", { "retry-after": date });
    });
    for (let at = 0; at < 6; at++) expect((await ask(rig)).status).toBe(200);
    expect(countOf(keysSeen(rig.upstream), ONE)).toBe(1);
    for (let at = 0; at < 6; at++) expect((await ask(rig, "b")).status).toBe(200);
    expect(countOf(keysSeen(rig.upstream), ONE)).toBeGreaterThan(2);
    expect(logLines(rig.gateway, "upstream.credential_refused")).toEqual([]);
  });

  test("a new one is used at once, a removed one no more, and a reset forgets what was held against them", async () => {
    const rig = await open();
    rig.upstream.script(refuses([ONE, TWO]));
    expect((await ask(rig)).status).toBe(502);
    const stdin = `${THREE}\n`;
    const [added] = JSON.parse(
      await mustRun(rig.dir, ["upstream", "key", "add", "mine", "--api-key-stdin", "--json"], { stdin }),
    ) as { short_id: string; preview: string }[];
    expect(added?.preview).toBe("");
    const isBack = await eventually(async () => (await ask(rig)).status === 200);
    expect(isBack).toBe(true);
    expect(keysSeen(rig.upstream).at(-1)).toBe(THREE);
    await mustRun(rig.dir, ["upstream", "key", "remove", "mine", added?.short_id ?? ""]);
    rig.upstream.script(wellAs("mine"));
    await mustRun(rig.dir, ["upstream", "reset", "mine"]);
    const before = rig.upstream.received.length;
    const areBack = await eventually(async () => {
      await ask(rig);
      const since = keysSeen(rig.upstream).slice(before);
      return since.includes(ONE) && since.includes(TWO);
    }, SOON_MS);
    expect(areBack).toBe(true);
    const from = rig.upstream.received.length;
    for (let at = 0; at < 6; at++) expect((await ask(rig)).status).toBe(200);
    const used = keysSeen(rig.upstream).slice(from);
    expect([countOf(used, ONE), countOf(used, TWO), countOf(used, THREE)]).toEqual([3, 3, 0]);
    // It is written down beside the requests, every second.
    const isWritten = await eventually(async () => (await healthOf(rig)).states.length === 0, SOON_MS);
    expect(isWritten).toBe(true);
  });
});

describe("the health of an upstream", () => {
  test("is told by what its requests were, with what was charged and what that is before the multiplier", async () => {
    const rig = await open({ second: true });
    const multiplied = "groups:\n  - { name: default, models: [a, b], multiplier: 2 }\n";
    await applyYaml(rig.dir, multiplied);
    for (let at = 0; at < 8; at++) await ask(rig, "a", { stream: at % 2 === 0 });
    rig.upstream.script(exchange => exchange.reply(500, "{}"));
    for (let at = 0; at < 2; at++) expect((await ask(rig, "a")).text).toContain("This is other.");
    await rows(rig);
    const { models } = await healthOf(rig);
    expect(models).toEqual([
      expect.objectContaining({
        ...{ model: "a", attempts: 10, good: 8, failed: 2, success_rate: 0.8, rests: 0 },
        ...{ first_byte_ms_median: expect.any(Number), first_byte_ms_p95: expect.any(Number) },
        // 11 tokens at 1 USD and 7 at 10 USD for a million, eight times, twice as dear.
        ...{ charged: "0.001296", at_price: "0.000648" },
      }),
    ]);
    const shown = await mustRun(rig.dir, ["upstream", "health", "--name", "mine"]);
    expect(shown).toMatch(/mine +a +10 +80\.0 %/);
    const metrics = await (await fetch(`${rig.gateway.url}/metrics`)).text();
    const count = /^wicketgate_store_batch_commands_count (\d+)$/m.exec(metrics)?.[1];
    const sum = /^wicketgate_store_batch_commands_sum (\d+)$/m.exec(metrics)?.[1];
    // Each of ten requests was admitted and settled.
    expect([Number(count) > 0, Number(sum) >= 20]).toEqual([true, true]);
    expect(metrics).toContain("wicketgate_store_batch_seconds_bucket");
  });
});

describe("an upstream that takes so many at once", () => {
  const slow =
    (name: string): Script =>
    async exchange => {
      await Bun.sleep(600);
      await wellAs(name)(exchange);
    };

  test("gets no more, and the next one gets the rest", async () => {
    const rig = await open({ fields: ", max_concurrency: 3", second: true });
    let most = 0;
    let now = 0;
    rig.upstream.script(async exchange => {
      now += 1;
      most = Math.max(most, now);
      await slow("mine")(exchange);
      now -= 1;
    });
    const seen = await Promise.all(
      Array.from({ length: 20 }, (_, at) => ask(rig, "a", { stream: at % 2 === 0 })),
    );
    for (const { status } of seen) expect(status).toBe(200);
    expect([most, rig.upstream.received.length, rig.other.received.length]).toEqual([3, 3, 17]);
  });

  test("leaves the others with a refusal that says when to come again, and nothing is charged for it", async () => {
    const rig = await open({ fields: ", max_concurrency: 2" });
    rig.upstream.script(slow("mine"));
    const seen = await Promise.all(Array.from({ length: 10 }, () => ask(rig)));
    const refused = seen.filter(({ status }) => status !== 200);
    expect([refused.length, rig.upstream.received.length]).toEqual([8, 2]);
    for (const { status, text, headers } of refused) {
      expect([status, errorOf(text)?.reason]).toEqual([503, "upstream_overloaded"]);
      expect(headers.get("retry-after")).toBe("5");
    }
    expect((await ask(rig)).status).toBe(200);
    const cost = (await rows(rig)).filter(({ reason }) => reason === "upstream_overloaded");
    expect(cost.length).toBe(8);
    for (const row of cost) expect(row.cost).toBe("0.00");
  });
});
