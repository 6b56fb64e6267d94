import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { freshDatabase } from "../src/store/postgres/server-test-rig.ts";
import { type Browser, type ConsoleRig, startConsole } from "./console-rig.ts";
import { type Environment, freshDir, setEnvironment, verifyClean } from "./harness.ts";
import { SECRET } from "./harness-cluster.ts";

/** The usage log as its account holder sees it, on the real server. */

const MODEL = "demo";
const REPEATED = 7;

const databases: readonly (readonly [string, () => Promise<Environment>])[] = [
  ["SQLite", async () => ({})],
  ["PostgreSQL", async () => ({ DATABASE_URL: await freshDatabase(), WICKETGATE_SECRET: SECRET })],
];

describe.each(databases)("the usage log on %s", (_, environment) => {
  let rig: ConsoleRig;
  let ann: Browser;
  let bob: Browser;
  let key: { id: string; string: string };

  const ask = (model: string, agent: string, body: object = {}) =>
    fetch(`${rig.root}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key.string}`,
        "content-type": "application/json",
        "user-agent": agent,
      },
      body: JSON.stringify({
        model,
        messages: [{ role: "user", content: "Hello" }],
        max_tokens: 20,
        ...body,
      }),
    });

  /** What a request leaves is there when it has been settled, which may be a moment after its last byte. */
  const settledRows = async (count: number) => {
    for (let tries = 0; ; tries++) {
      const { rows } = await ann.call("GET /usage");
      if ((rows.length === count && rows.every(row => row.state !== "open")) || tries === 100) return rows;
      await Bun.sleep(50);
    }
  };

  beforeAll(async () => {
    const dir = freshDir();
    setEnvironment(dir, await environment());
    rig = await startConsole({}, dir);
    ann = await rig.invited("ann@example.org", { balance_usd: "5" });
    bob = await rig.invited("bob@example.org", { balance_usd: "5" });
    const { groups } = await ann.call("GET /groups");
    const group = groups[0]?.id ?? "";
    const made = await ann.call("POST /keys", { body: { name: "=laptop, “ü”", group } });
    key = { id: made.key.id, string: made.string };
    expect((await ask(MODEL, "curl/8.5.0")).status).toBe(200);
    for (let n = 0; n < REPEATED; n++)
      expect((await ask("nothing-like-it", "claude-cli/2.0.1 (cli)")).status).toBe(403);
    expect(await (await ask(MODEL, "curl/8.6.0", { stream: true })).text()).toContain("[DONE]");
    await settledRows(3);
  }, 60_000);
  afterAll(() => rig.dispose(), 60_000);

  test("shows every request, newest first, and one line for a refusal that repeats", async () => {
    const { rows, next } = await ann.call("GET /usage");
    expect(next).toBeNull();
    expect(rows.map(({ outcome, tool, model }) => [outcome, tool, model])).toEqual([
      ["ok", "curl", MODEL],
      ["refused", "claude-cli", "nothing-like-it"],
      ["ok", "curl", MODEL],
    ]);
    expect(rows[1]?.repeated?.count).toBe(REPEATED);
    expect(rows[0]?.repeated).toBeNull();
    expect(rows[1]).toMatchObject({ reason: "model_not_in_group", status: 403, cost_usd: "0.00" });
    expect(rows[0]?.key).toEqual({ id: key.id, name: "=laptop, “ü”" });
    expect(rows[0]?.tokens.output).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain("upstream");
  });

  test("narrows by each filter and by all of them", async () => {
    const lines = async (query: object) => (await ann.call("GET /usage", { query })).rows.length;
    expect(await lines({ outcome: "refused" })).toBe(1);
    expect(await lines({ outcome: "ok" })).toBe(2);
    expect(await lines({ outcome: "running" })).toBe(0);
    expect(await lines({ tool: "curl", model: MODEL, key: key.id, outcome: "ok" })).toBe(2);
    expect(await lines({ tool: "claude-cli", model: MODEL })).toBe(0);
    expect(await lines({ to: "2026-01-01T00:00:00Z" })).toBe(0);
    expect(await lines({ from: "2026-01-01T00:00:00Z" })).toBe(3);
    expect(await lines({ key: "key_of_somebody_else" })).toBe(0);
  });

  test("goes on where the page before ended, and says what came since", async () => {
    const first = await ann.call("GET /usage", { query: { limit: 2 } });
    const second = await ann.call("GET /usage", { query: { limit: 2, before: first.next ?? "" } });
    expect([...first.rows, ...second.rows].map(({ outcome }) => outcome)).toEqual(["ok", "refused", "ok"]);
    const [newest, , oldest] = (await ann.call("GET /usage")).rows;
    expect((await ann.call("GET /usage", { query: { after: newest?.id ?? "" } })).rows).toEqual([]);
    expect((await ann.call("GET /usage", { query: { after: oldest?.id ?? "" } })).rows).toHaveLength(2);
  });

  test("opens a receipt whose lines come to what was charged", async () => {
    const { rows } = await ann.call("GET /usage", { query: { outcome: "ok" } });
    for (const row of rows) {
      const receipt = await ann.call("GET /usage/{id}", { params: { id: row.id } });
      expect(receipt.row).toEqual(row);
      expect(receipt.agent).toStartWith("curl/8.");
      expect(receipt.refusal).toBeNull();
      const sum = receipt.lines.reduce((total, line) => total + picos(line.amount_usd), 0n);
      expect(picos(receipt.price_usd)).toBe(sum);
      const scale = 10_000_000n;
      const charged = (sum * BigInt(Math.round(Number(receipt.multiplier) * 10_000)) + scale - 1n) / scale;
      expect(picos(receipt.cost_usd)).toBe(charged * 1_000n);
      expect(receipt.cost_usd).toBe(row.cost_usd);
      expect(picos(receipt.held_usd)).toBeGreaterThanOrEqual(picos(receipt.cost_usd));
      expect(receipt.held_at).not.toBeNull();
      expect(receipt.settled_at).not.toBeNull();
    }
  });

  test("explains a refusal in the words that the client was given", async () => {
    const refused = await ask("nothing-like-it", "claude-cli/2.0.1 (cli)");
    const told = (await refused.json()) as { error: { message: string } };
    const { rows } = await ann.call("GET /usage", { query: { outcome: "refused" } });
    const receipt = await ann.call("GET /usage/{id}", { params: { id: rows[0]?.id ?? "" } });
    expect(receipt.refusal).toMatchObject({ reason: "model_not_in_group", cause: "group_unavailable" });
    expect(told.error.message).toContain(receipt.refusal?.message ?? "nothing");
    expect(receipt.refusal?.remedy).not.toMatch(/[{}…]/);
    expect(receipt).toMatchObject({ lines: [], pocket: null, held_at: null, cost_usd: "0.00" });
  });

  test("shows nobody else's requests, and does not say that they exist", async () => {
    const { rows } = await ann.call("GET /usage");
    for (const id of [rows[0]?.id ?? "", "req_00000000000000000000000000", "nonsense"]) {
      const { status, error } = await bob.refused("GET /usage/{id}", { params: { id } });
      expect({ status, message: error.message }).toEqual({
        status: 404,
        message: "There is no request with this id.",
      });
    }
    expect((await bob.call("GET /usage")).rows).toEqual([]);
    expect((await bob.call("GET /usage", { query: { key: key.id } })).rows).toEqual([]);
    expect(await bob.call("GET /usage/names")).toEqual({ keys: [], models: [], tools: [] });
    const { totals, series } = await bob.call("GET /usage/summary", { query: { key: key.id } });
    expect([totals.requests, series.length]).toEqual([0, 0]);
    expect(
      (await bob.send("GET /usage/export", { query: { format: "csv" } })).headers.get("x-total-estimate"),
    ).toBe("0");
    expect((await rig.browser().refused("GET /usage")).status).toBe(401);
  });

  test("sums up what it shows, by key and by model, in hours and in days", async () => {
    const rows = await exported(ann);
    const cost = rows.reduce((sum, row) => sum + picos(row.cost_usd), 0n);
    for (const by of ["key", "model"] as const) {
      const { totals, buckets, bucket, series } = await ann.call("GET /usage/summary", { query: { by } });
      expect(totals.requests).toBe(rows.length);
      expect(totals.refused).toBe(rows.filter(row => row.outcome === "refused").length);
      expect(picos(totals.cost_usd)).toBe(cost);
      expect([buckets.length, bucket]).toEqual([30, "day"]);
      expect(series.map(({ name }) => name)).toEqual(
        by === "key" ? ["=laptop, “ü”"] : [MODEL, "nothing-like-it"],
      );
      expect(series.flatMap(({ requests }) => requests).reduce((a, b) => a + b)).toBe(rows.length);
      expect(series.flatMap(one => one.cost_usd).reduce((sum, usd) => sum + picos(usd), 0n)).toBe(cost);
    }
    const from = new Date(Date.now() - 3 * 3_600_000).toISOString();
    const hours = await ann.call("GET /usage/summary", { query: { from } });
    expect([hours.bucket, hours.totals.requests, hours.buckets.length]).toEqual(["hour", rows.length, 4]);
    expect(hours.totals.first_byte_ms).not.toBeNull();
  });

  test("names keys, models and tools that were seen", async () => {
    expect(await ann.call("GET /usage/names")).toEqual({
      keys: [{ id: key.id, name: "=laptop, “ü”", is_deleted: false }],
      models: [MODEL, "nothing-like-it"],
      tools: ["claude-cli", "curl"],
    });
  });

  test("is exported whole, as CSV that a spreadsheet does not run and as JSON", async () => {
    const rows = await exported(ann);
    const answer = await ann.send("GET /usage/export", { query: { format: "csv" } });
    expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toMatch(
      /^attachment; filename="usage-[\d-]{10}\.csv"$/,
    );
    expect(answer.headers.get("x-total-estimate")).toBe(String(rows.length));
    const lines = (await answer.text()).split("\r\n");
    expect(lines).toHaveLength(rows.length + 2);
    expect(lines[0]).toStartWith("id,at,key,");
    expect(lines[1]).toContain(`,"'=laptop, “ü”",`);
    const refused = await ann.send("GET /usage/export", { query: { format: "csv", outcome: "refused" } });
    expect(await refused.text()).not.toContain(",ok,");
  });

  test("refuses what it does not understand, field by field", async () => {
    const wrong: [object, string][] = [
      [{ before: "nonsense" }, "before"],
      [{ from: "yesterday" }, "from"],
      [{ limit: 0 }, "limit"],
      [{ outcome: "good" }, "outcome"],
      [{ colour: "red" }, "colour"],
      [{ from: "2026-02-01T00:00:00Z", to: "2026-01-01T00:00:00Z" }, "to"],
    ];
    for (const [query, path] of wrong) {
      const { status, error } = await ann.refused("GET /usage", { query });
      expect([status, error.code, error.fields?.[0]?.path]).toEqual([400, "invalid", path]);
    }
    const { error } = await ann.refused("GET /usage/summary", { query: { from: "1999-01-01T00:00:00Z" } });
    expect(error.fields?.[0]?.path).toBe("from");
  });

  test("agrees with the ledger", () => verifyClean(rig.dir));
});

type Exported = { cost_usd: string; outcome: string };

async function exported(browser: Browser): Promise<Exported[]> {
  const answer = await browser.send("GET /usage/export", { query: { format: "json" } });
  return (await answer.json()) as Exported[];
}

/** USD as text to pico-dollars. */
function picos(usd: string): bigint {
  const [whole = "0", fraction = ""] = usd.split(".");
  return BigInt(whole) * 1_000_000_000_000n + BigInt(fraction.padEnd(12, "0"));
}
