import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Dialect } from "../src/domain/usage.ts";
import { PATHS, plainBody } from "./dialects-checks-money.ts";
import { type Dialects, startDialects, type Variant } from "./dialects-gateway.ts";
import { DIALECTS } from "./dialects-talk.ts";
import { eventually, usageRows } from "./harness.ts";

/** Clients that leave while their request is being translated: before the first byte, in the middle, and without a stream. */

let rig: Dialects;
beforeAll(async () => {
  rig = await startDialects();
});
afterAll(() => rig.stop());

type Leaving = { client: Dialect; upstream: Dialect; variant: Variant; stream: boolean };

const MOMENTS = {
  "before the first byte": { variant: "late", stream: true },
  "in mid-stream": { variant: "slow", stream: true },
  "before a whole answer": { variant: "slow", stream: false },
} as const satisfies Record<string, Pick<Leaving, "variant" | "stream">>;

/** A key that may have one request at a time: a slot that is not given back would be missed. */
function ask({ client, upstream, variant, stream }: Leaving, signal?: AbortSignal): Promise<Response> {
  return fetch(rig.gateway.url + PATHS[client], {
    method: "POST",
    headers: { authorization: `Bearer ${rig.key("single")}`, "content-type": "application/json" },
    body: JSON.stringify(plainBody(client, rig.model(upstream, variant), { stream })),
    signal: signal ?? null,
  });
}

/** So many that more than the beginning has been told. */
const EVENTS = 10;

async function readSome(response: Response): Promise<void> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.split("\n\n").length > EVENTS) return;
  }
}

async function leave(leaving: Leaving): Promise<void> {
  const { mock, heard } = rig.upstream;
  const before = { aborts: mock.aborts(), heard: heard.length };
  const control = new AbortController();
  const asked = ask(leaving, control.signal).then(
    response => (leaving.stream && leaving.variant === "slow" ? readSome(response) : undefined),
    () => undefined,
  );
  expect(await eventually(() => heard.length > before.heard)).toBe(true);
  if (leaving.stream && leaving.variant === "slow") await asked;
  control.abort();
  await asked.catch(() => undefined);
  expect(await eventually(() => mock.aborts() === before.aborts + 1)).toBe(true);
}

/** Refused requests try again, for the slot is free only when the row is settled. */
async function expectFree(client: Dialect, upstream: Dialect): Promise<void> {
  const free = await eventually(async () => {
    const { status } = await ask({ client, upstream, variant: "plain", stream: false });
    return status === 200;
  });
  expect(free).toBe(true);
}

describe("[P47] a client that leaves takes the upstream's request along, and its slot is free:", () => {
  for (const client of DIALECTS) {
    for (const upstream of DIALECTS.filter(dialect => dialect !== client)) {
      for (const [moment, how] of Object.entries(MOMENTS)) {
        test(`${moment}, a ${client} client, a ${upstream} upstream`, async () => {
          await leave({ client, upstream, ...how });
          await expectFree(client, upstream);
        });
      }
    }
  }
});

test("[P47] each of them is settled once, for what was read and delivered", async () => {
  const rows = await eventually(async () => {
    const all = await usageRows(rig.dir, rig.keyId("single"));
    return all.every(({ state }) => state !== "open") && all;
  });
  const left = (rows ?? []).filter(({ reason }) => reason === "client_left");
  expect(left).toHaveLength(6 * Object.keys(MOMENTS).length);
  expect(new Set(left.map(({ id }) => id)).size).toBe(left.length);
  for (const row of left) {
    expect(row).toMatchObject({ state: "settled", status: 499, source: "estimated" });
    expect(row.input_tokens).toBeGreaterThan(0);
    const hasBegun = row.stream && row.model.endsWith("-slow");
    expect(row.output_tokens > 0).toBe(hasBegun);
    expect(row.output_tokens).toBeLessThan(200);
  }
});
