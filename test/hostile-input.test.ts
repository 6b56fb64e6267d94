import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Dialect } from "../src/domain/usage.ts";
import { expectSentences } from "./case-refusal.ts";
import { UPSTREAM_CREDENTIAL, UPSTREAM_NAME } from "./harness-rig.ts";
import { BAD_BODIES, BAD_REQUESTS, type BadRequest } from "./hostile-requests.ts";
import { type HostileRig, logFaults, plainBody, startHostileRig } from "./hostile-rig.ts";
import { DIALECTS, VOICES } from "./hostile-voice.ts";

/**
 * Requests of each dialect that are malformed or contradict themselves, for an upstream of the same dialect and of the
 * others: refused in the client's dialect with the name of the field, never sent on, on record, and free.
 */

let rig: HostileRig;
const refused: string[] = [];
beforeAll(async () => {
  rig = await startHostileRig();
});
afterAll(() => rig.stop());

type ErrorBody = {
  type?: string;
  request_id?: string;
  error?: { type: string; message: string; remedy: string; reason: string; param?: string | null };
};

/** What is wrong with a refusal; nothing, mostly. */
async function refusalFaults(
  client: Dialect,
  body: string | Uint8Array,
): Promise<{ faults: string[]; error: ErrorBody["error"] }> {
  const response = await rig.post(client, body);
  const told = (await response.json()) as ErrorBody;
  const { error } = told;
  const faults: string[] = [];
  if (response.status !== 400 || error === undefined)
    return { faults: [`${response.status} ${JSON.stringify(told).slice(0, 200)}`], error };
  if (error.reason !== "request_invalid" || error.type !== "invalid_request_error") faults.push(error.reason);
  if ((told.type === "error") !== (client === "messages")) faults.push(`is no error of ${client}`);
  expectSentences(error, [UPSTREAM_CREDENTIAL, UPSTREAM_NAME, rig.key.key]);
  refused.push(response.headers.get("x-request-id") ?? "");
  return { faults, error };
}

async function caseFaults(
  client: Dialect,
  upstream: Dialect,
  { name, patch, param }: BadRequest,
): Promise<string[]> {
  const { faults, error } = await refusalFaults(
    client,
    JSON.stringify({ ...plainBody(client, upstream), ...patch }),
  );
  const where = `${name}, on ${upstream}`;
  if (error !== undefined && !error.message.includes(`“${param}”`)) faults.push(error.message);
  if (error !== undefined && client !== "messages" && error.param !== param)
    faults.push(`param ${error.param}`);
  return faults.map(fault => `${where}: ${fault}`);
}

describe.each([...DIALECTS])("a client of %s is told what is wrong:", client => {
  const cases = BAD_REQUESTS[client];
  test(`${cases.length} requests, on an upstream of each dialect`, async () => {
    expect(cases.length).toBeGreaterThanOrEqual(40);
    const all = cases.flatMap(one =>
      DIALECTS.filter(upstream => upstream !== client || one.translatedOnly === undefined).map(upstream => ({
        one,
        upstream,
      })),
    );
    const faults: string[] = [];
    for (const { one, upstream } of all) faults.push(...(await caseFaults(client, upstream, one)));
    expect(faults).toEqual([]);
  });

  test("bodies that are none", async () => {
    for (const [name, body, words] of BAD_BODIES) {
      const { faults, error } = await refusalFaults(client, body);
      expect({ name, faults, message: error?.message }).toEqual({
        name,
        faults: [],
        message: expect.stringMatching(words),
      });
    }
  });
});

test("nothing of it reached an upstream, all of it is on record, and none of it costs anything", async () => {
  for (const upstream of Object.values(rig.upstreams)) expect(upstream.received).toEqual([]);
  const rows = await rig.rows();
  const wrong = refused.filter(id => {
    const { state, status, reason, cost, held } = rows.get(id) ?? {};
    return (
      state !== "refused" ||
      status !== 400 ||
      reason !== "request_invalid" ||
      cost !== "0.00" ||
      held !== "0.00"
    );
  });
  expect(wrong).toEqual([]);
  expect(new Set(refused).size).toBe(refused.length);
  expect(refused.length).toBeGreaterThan(350);
  expect(logFaults(rig.gateway.log())).toEqual([]);
});

test("what the upstream's own dialect has is left to it", async () => {
  rig.script(
    dialect => exchange => exchange.reply(200, VOICES[dialect].whole("Hi", VOICES[dialect].usage(5, 5))),
  );
  for (const client of DIALECTS) {
    for (const { name, patch } of BAD_REQUESTS[client].filter(one => one.translatedOnly)) {
      const response = await rig.post(client, JSON.stringify({ ...plainBody(client, client), ...patch }));
      expect({ name, status: response.status }).toEqual({ name, status: 200 });
    }
  }
});
