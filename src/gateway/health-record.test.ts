import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Catalogue } from "../domain/catalogue.ts";
import type { Id, IdMaker } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";
import type { RecordUpstreams } from "../store/upstream-record.ts";
import { type Failure, type Place, UpstreamHealth } from "../upstream/health.ts";
import { HealthRecord } from "./health-record.ts";

const REFUSED: Failure = { why: "status 401", retryAfterMs: null, isCredential: true };
const REST_MS = 60_000;
const place: Place = { upstream: "ups_1", model: "m", credential: "crd_000000000001", hasOthers: false };

let nowMs: number;
let written: RecordUpstreams[];
let lines: [level: string, event: string, fields: Record<string, unknown>][];
let refusals: string[];
let isAway: boolean;
let record: HealthRecord;
let health: UpstreamHealth;
beforeEach(() => {
  nowMs = 1_000_000;
  isAway = false;
  [written, lines, refusals] = [[], [], []];
  let ids = 0;
  const catalogue = { upstreams: [{ id: "ups_1", name: "up" }] } as unknown as Catalogue;
  record = new HealthRecord({
    nowMs: () => nowMs,
    store: {
      run: (async (_name: string, args: RecordUpstreams) => {
        if (isAway) throw new Error("away");
        written.push(args);
      }) as unknown as Store["run"],
    },
    log: (level, event, fields = {}) => void lines.push([level, event, fields]),
    newId: (kind => `${kind}_${String(ids++).padStart(4, "0")}`) as IdMaker,
    bootId: "boot_1" as Id<"boot">,
    catalogue: () => catalogue,
    onRefused: upstream => void refusals.push(upstream),
  });
  health = new UpstreamHealth({ credentialRestMs: REST_MS, onChange: change => record.changed(change) });
});
afterEach(() => record.stop());

const refused = () => health.failed(place, { failure: REFUSED, nowMs });
const begins = () => health.begins(place, nowMs);

describe("a refused credential", () => {
  test("is one line, one count and one event, however many requests find it out", async () => {
    for (let count = 0; count < 100; count++) refused();
    expect(lines).toEqual([
      [
        "error",
        "upstream.credential_refused",
        {
          upstream: "up",
          credential: "00000001",
          why: "status 401",
          until: new Date(nowMs + REST_MS).toISOString(),
        },
      ],
    ]);
    expect(refusals).toEqual(["up"]);
    await record.write();
    expect(written).toHaveLength(1);
    expect(written[0]).toMatchObject({
      bootId: "boot_1",
      states: [{ upstreamId: "ups_1", model: null, credentialId: place.credential, state: "resting" }],
      events: [
        { id: "evt_0000", state: "resting", why: "status 401", atMs: nowMs, untilMs: nowMs + REST_MS },
      ],
    });
  });

  test("where nobody else can be asked and each request tries it, is still one line for each rest", async () => {
    refused();
    for (let count = 0; count < 200; count++) {
      nowMs += 10;
      begins();
      refused();
    }
    expect(lines).toHaveLength(1);
    await record.write();
    // Two seconds: at most one of each kind in each of them.
    expect(written[0]?.events.length).toBeLessThanOrEqual(6);
    expect(written[0]?.states).toHaveLength(1);
    nowMs += 2 * REST_MS;
    begins();
    refused();
    expect(lines).toHaveLength(2);
  });

  test("that is taken again is told once", () => {
    refused();
    nowMs += REST_MS;
    begins();
    health.succeeded(place, nowMs);
    health.succeeded(place, nowMs);
    expect(lines.map(([level, event]) => [level, event])).toEqual([
      ["error", "upstream.credential_refused"],
      ["info", "upstream.back"],
    ]);
  });
});

test("what cannot be written is written later, the newest state of each with all that became of it", async () => {
  isAway = true;
  refused();
  await record.write();
  await record.write();
  expect(lines.filter(([, event]) => event === "upstream.not_recorded")).toHaveLength(1);
  isAway = false;
  nowMs += REST_MS;
  begins();
  await record.write();
  expect(written).toHaveLength(1);
  expect(written[0]?.events.map(({ state }) => state)).toEqual(["resting", "trying"]);
  expect(written[0]?.states.map(({ state }) => state)).toEqual(["trying"]);
  await record.write();
  expect(written).toHaveLength(1);
});

test("an upstream that rests and is back is told by its model", () => {
  const failure: Failure = { why: "status 500", retryAfterMs: null, isCredential: false };
  for (let count = 0; count < 8; count++) health.failed(place, { failure, nowMs });
  nowMs += 1_000;
  begins();
  health.answers(place, nowMs);
  expect(lines.map(([level, event, { upstream, model }]) => [level, event, upstream, model])).toEqual([
    ["warn", "upstream.resting", "up", "m"],
    ["info", "upstream.back", "up", "m"],
  ]);
});
