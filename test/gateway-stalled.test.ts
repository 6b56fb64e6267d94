import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { eventually, settledRow } from "./harness.ts";
import { chat, chatBody, chatHead, openStream, rawConnection } from "./harness-client.ts";
import { type Rig, startRig } from "./harness-rig.ts";
import { chatEvent, DONE } from "./harness-upstream.ts";

/** Clients that read slowly and upstreams that do not stop: neither costs the gateway memory or the client time. */

let rig: Rig;
let key: string;
beforeAll(async () => {
  rig = await startRig();
  ({ key } = await rig.key());
});
afterAll(() => rig.stop());

const READERS = 200;
const KIB_PER_STREAM_MAX = 100;
const SETTLE_MS_MAX = 20_000;
/** Priced by the call, so that megabytes that wait in sockets cost nothing. */
const streamBody = JSON.stringify(chatBody("call", { stream: true, max_tokens: 9_000_000 }));

function residentKib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN);
}

async function manyStreams(): Promise<void> {
  const ask = { key, body: streamBody };
  await Promise.all(Array.from({ length: READERS }, () => chat(rig.gateway.base, ask)));
}

/** True once the upstream has written nothing for a while. */
async function cameToRest(written: () => number): Promise<boolean> {
  let before = -1;
  const still = await eventually(async () => {
    const now = written();
    const rests = now > 0 && now === before;
    before = now;
    if (!rests) await Bun.sleep(1_000);
    return rests;
  }, 30_000);
  return still === true;
}

const onLinux = test.skipIf(process.platform !== "linux");
onLinux(
  `${READERS} stalled readers hold the upstream back and take at most ${KIB_PER_STREAM_MAX} KiB each`,
  async () => {
    const events = Array.from({ length: 50 }, () => chatEvent({ content: "x".repeat(100) }));
    rig.upstream.script(exchange => exchange.stream([...events, DONE]));
    for (let round = 0; round < 3; round++) await manyStreams();
    const beforeKib = residentKib(rig.gateway.pid);

    const from = rig.upstream.exchanges.length;
    const event = Buffer.from(chatEvent({ content: "x".repeat(4_000) }));
    rig.upstream.script(exchange => exchange.firehose(event));
    const sockets: Socket[] = [];
    for (let at = 0; at < READERS; at++) {
      const socket = await rawConnection(rig.gateway.url, chatHead(rig.gateway.url, key, streamBody));
      socket.on("error", () => {});
      socket.pause();
      sockets.push(socket);
    }
    expect(await eventually(() => rig.upstream.exchanges.length === from + READERS)).toBe(true);
    const streams = rig.upstream.exchanges.slice(from);
    const written = () => streams.reduce((sum, { bytesSent }) => sum + bytesSent, 0);
    expect(await cameToRest(written)).toBe(true);
    expect(streams.every(stream => stream.isOpen)).toBe(true);
    const atRest = written();
    // What was read before the readers were seen to stall is garbage now, and goes when the collector comes by.
    const perReaderKib = () => (residentKib(rig.gateway.pid) - beforeKib) / READERS;
    await eventually(() => perReaderKib() <= KIB_PER_STREAM_MAX, SETTLE_MS_MAX);
    expect(perReaderKib()).toBeLessThanOrEqual(KIB_PER_STREAM_MAX);
    await Bun.sleep(1_500);
    expect(perReaderKib()).toBeLessThanOrEqual(KIB_PER_STREAM_MAX);
    expect(written()).toBe(atRest);

    for (const socket of sockets) socket.destroy();
    expect(await eventually(() => streams.every(stream => stream.aborted), 3_000)).toBe(true);
  },
  60_000,
);

test("a reader that goes on gets everything, in order", async () => {
  const count = 4_000;
  const numbered = (at: number) => chatEvent({ content: `${at} ${"y".repeat(1_000)}` });
  rig.upstream.script(async exchange => {
    await exchange.begin();
    for (let at = 0; at < count; at++) await exchange.piece(numbered(at));
    await exchange.piece(DONE);
    await exchange.end();
  });
  const socket = await rawConnection(rig.gateway.url, chatHead(rig.gateway.url, key, streamBody));
  socket.pause();
  await Bun.sleep(500);
  let text = "";
  const ended = new Promise<void>(resolve => {
    socket.on("data", piece => {
      text += piece.toString("latin1");
      if (text.endsWith("0\r\n\r\n")) resolve();
    });
  });
  socket.resume();
  await ended;
  socket.destroy();
  const seen = [...text.matchAll(/"content":"(\d+) y/g)].map(match => Number(match[1]));
  expect(seen).toEqual(Array.from({ length: count }, (_, at) => at));
  expect(text).toContain("[DONE]");
});

test("an upstream that never closes after its last word does not keep the client", async () => {
  rig.upstream.script(async exchange => {
    await exchange.begin();
    await exchange.piece(chatEvent({ content: "a" }) + DONE);
  });
  const from = rig.upstream.exchanges.length;
  const tick = performance.now();
  const seen = await chat(rig.gateway.base, { key, body: streamBody });
  expect(performance.now() - tick).toBeLessThan(1_000);
  expect(seen.text).toBe(chatEvent({ content: "a" }) + DONE);
  expect(await settledRow(rig.dir, seen.requestId)).toMatchObject({ status: 200, state: "settled" });
  expect(await eventually(() => rig.upstream.exchanges[from]?.aborted ?? false, 5_000)).toBe(true);
});

test("silence is broken by a comment at least every 15 s, between two events", async () => {
  rig.upstream.script(async exchange => {
    await exchange.begin();
    await exchange.piece(`${chatEvent({ content: "a" })}data: {"half`);
  });
  const seen = await openStream(rig.gateway.base, { key, body: streamBody });
  await seen.bytes(1);
  const tick = performance.now();
  await seen.bytes(chatEvent({ content: "a" }).length + 1);
  expect(performance.now() - tick).toBeLessThan(15_000);
  expect(seen.text()).toMatch(/\n\n:[^\n]*\n\n$/);
  expect(seen.text()).not.toContain("half");
  seen.leave();
}, 30_000);
