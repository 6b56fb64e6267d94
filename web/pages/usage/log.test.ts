import { describe, expect, test } from "bun:test";
import { appendOlder, type Log, liveCursor, mergeLive, type Row, shownRows } from "./log.ts";

const id = (at: number) => `req_${String(at).padStart(26, "0")}`;

function row(at: number, more: Partial<Row> = {}): Row {
  return {
    ...{
      id: id(at),
      at: new Date(at * 1000).toISOString(),
      key: { id: "key_1", name: "laptop" },
      model: "m",
    },
    ...{ operation: "chat", stream: false, tool: "curl", address: "", state: "settled", outcome: "ok" },
    ...{ status: 200, reason: null, cost_usd: "0.01", is_estimated: false, duration_ms: 1, first_byte_ms: 1 },
    tokens: { input: 1, cache_read: 0, cache_write: 0, output: 1, reasoning: 0 },
    repeated: null,
    ...more,
  };
}

const refusal = (at: number, more: Partial<Row> = {}) =>
  row(at, { state: "refused", outcome: "refused", reason: "rate_limited", cost_usd: "0", ...more });
const log = (rows: Row[], next: string | null = null): Log => ({ rows, next });
const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, n) => row(from - n));
const ids = (rows: readonly Row[]) => rows.map(one => Number(one.id.slice(4)));

describe("following the log", () => {
  test("asks again for the newest few, because a request may end after one that began later", () => {
    expect(liveCursor(log(down(100, 1)))).toBe(id(80));
    const late = mergeLive(log(down(100, 1).filter(one => one.id !== id(95))), id(80), log(down(101, 81)));
    expect(ids(late.rows).slice(0, 8)).toEqual([101, 100, 99, 98, 97, 96, 95, 94]);
    expect(late.rows).toHaveLength(101);
  });

  test("goes back as far as a request that still runs", () => {
    const rows = down(100, 1).map(one => (one.id === id(60) ? { ...one, outcome: "running" as const } : one));
    expect(liveCursor(log(rows))).toBe(id(59));
    const merged = mergeLive(log(rows, id(1)), id(59), log(down(100, 60)));
    expect(merged.rows.find(one => one.id === id(60))?.outcome).toBe("ok");
    expect(merged.next).toBe(id(1));
  });

  test("begins from the newest where the list is short, and keeps nothing that is gone", () => {
    const running = log([row(2, { outcome: "running" }), row(1)]);
    expect(liveCursor(running)).toBeNull();
    expect(mergeLive(running, null, log([row(3), row(2)]))).toEqual(log([row(3), row(2)]));
  });

  test("shows no gap as if there were none", () => {
    const fresh = log(down(400, 201), id(201));
    expect(mergeLive(log(down(100, 1)), id(80), fresh)).toEqual(fresh);
  });

  test("joins what it knew where more has come than one answer holds, but not more than is known", () => {
    const merged = mergeLive(log(down(250, 1), id(1)), null, log(down(300, 101), id(101)));
    expect(ids(merged.rows)).toEqual(Array.from({ length: 300 }, (_, n) => 300 - n));
    expect(merged.next).toBe(id(1));
  });

  test("keeps the very rows that have not changed, so that they are not drawn again", () => {
    const known = log(down(30, 1));
    const merged = mergeLive(known, id(10), log(down(31, 11)));
    expect(merged.rows.slice(1).every((one, at) => one === known.rows[at])).toBe(true);
  });

  test("changes nothing where nothing has changed", () => {
    const known = log(down(30, 1));
    expect(mergeLive(known, id(10), log(down(30, 11)))).toBe(known);
  });
});

describe("identical refusals that meet at a seam", () => {
  test("become one line with their number and the time of the first", () => {
    const older = refusal(5, { repeated: { count: 4, since: row(2).at } });
    const merged = mergeLive(
      log([older, row(1)]),
      id(5),
      log([refusal(7, { repeated: { count: 2, since: row(6).at } })]),
    );
    expect(merged.rows).toHaveLength(2);
    expect(merged.rows[0]).toMatchObject({ id: id(7), repeated: { count: 6, since: row(2).at } });
  });

  test("do so between pages, too", () => {
    const whole = appendOlder(log([row(9), refusal(8)], id(8)), log([refusal(7), row(6)]));
    expect(whole.rows.map(one => one.repeated?.count ?? 1)).toEqual([1, 2, 1]);
    expect(whole.next).toBeNull();
  });

  test.each<[string, Partial<Row>]>([
    ["another reason", { reason: "key_disabled" }],
    ["another model", { model: "other" }],
    ["another tool", { tool: "codex" }],
    ["another key", { key: { id: "key_2", name: "laptop" } }],
  ])("stay apart with %s", (_, more) => {
    expect(appendOlder(log([refusal(8)], id(8)), log([refusal(7, more)])).rows).toHaveLength(2);
  });

  test("two answers are never one line", () => {
    expect(appendOlder(log([row(2)], id(2)), log([row(1)])).rows).toHaveLength(2);
  });
});

describe("while somebody reads", () => {
  const held = [row(5, { outcome: "running" }), row(4)];

  test("rows stay in their places, new ones wait and are counted", () => {
    const now = log([row(7), row(6), row(5), row(4), row(3)]);
    const shown = shownRows(now, held);
    expect(ids(shown.rows)).toEqual([5, 4, 3]);
    expect(shown.fresh).toBe(2);
  });

  test("what becomes of them is shown", () => {
    expect(shownRows(log([row(5), row(4)]), held).rows[0]?.outcome).toBe("ok");
  });

  test("a line that has grown meanwhile does not vanish", () => {
    const was = [refusal(5), row(4)];
    const now = log([refusal(8, { repeated: { count: 4, since: row(5).at } }), row(4)]);
    expect(ids(shownRows(now, was).rows)).toEqual([5, 4]);
  });

  test("nothing is held where nobody reads", () => {
    expect(shownRows(log([row(2), row(1)]), null)).toEqual({ rows: [row(2), row(1)], fresh: 0 });
  });
});
