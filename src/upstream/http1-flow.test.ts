import { afterEach, describe, expect, test } from "bun:test";
import type net from "node:net";
import type { Answer } from "./answer.ts";
import { get, limits, Rig, readAll, until } from "./http1-test-rig.ts";

const rig = new Rig();
afterEach(() => rig.close());

/** Sends without end, as fast as it is taken. */
async function firehose(onSent: (count: number) => void) {
  const block = Buffer.alloc(16_384, "x");
  return await rig.server((socket: net.Socket) => {
    const pour = () => {
      let more = true;
      while (more && !socket.destroyed) {
        more = socket.write(block);
        onSent(block.length);
      }
    };
    socket.on("drain", pour);
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100000000000\r\n\r\n");
      pour();
    });
  });
}

/** Reads until it has `bytesMin`, then pauses; `received` counts on. */
function stalling(answer: Answer, bytesMin: number) {
  const state = { received: 0, paused: false, afterPause: 0, largestRead: 0 };
  answer.read({
    onBytes: bytes => {
      state.received += bytes.length;
      state.largestRead = Math.max(state.largestRead, bytes.length);
      if (state.paused) state.afterPause += bytes.length;
      if (state.received >= bytesMin && !state.paused) {
        state.paused = true;
        answer.pause();
      }
    },
    onEnd: () => undefined,
    onFailure: () => undefined,
  });
  return state;
}

async function steady(measure: () => number): Promise<number> {
  let last = -1;
  while (last !== measure()) {
    last = measure();
    await Bun.sleep(100);
  }
  return last;
}

describe("a paused answer", () => {
  test("receives nothing, holds its upstream back, and goes on when resumed", async () => {
    let sent = 0;
    const server = await firehose(count => (sent += count));
    const answer = await rig.client().send(get(server.port), limits).answer;
    const state = stalling(answer, 1_000_000);
    expect(await until(() => state.paused)).toBe(true);
    const sentWhenStalled = await steady(() => sent);
    await Bun.sleep(150);
    expect([state.afterPause, sent]).toEqual([0, sentWhenStalled]);
    state.paused = false;
    answer.resume();
    expect(await until(() => state.received > 3_000_000 || state.paused)).toBe(true);
    answer.abort();
  });

  test("gets small reads, where the window can be set", async () => {
    const server = await firehose(() => undefined);
    const answer = await rig.client({ receiveWindowBytes: 32_768 }).send(get(server.port), limits).answer;
    const state = stalling(answer, 5_000_000);
    expect(await until(() => state.paused)).toBe(true);
    answer.abort();
    if (process.platform === "linux") expect(state.largestRead).toBeLessThan(80_000);
  });

  test("that is not read yet holds its upstream back too", async () => {
    let sent = 0;
    const server = await firehose(count => (sent += count));
    const answer = await rig.client().send(get(server.port), limits).answer;
    const sentWhenStalled = await steady(() => sent);
    await Bun.sleep(150);
    expect(sent).toBe(sentWhenStalled);
    answer.abort();
  });

  test("hears of its end only when resumed", async () => {
    const server = await rig.answering("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello", "world");
    const client = rig.client();
    const answer = await client.send(get(server.port), limits).answer;
    const heard: string[] = [];
    answer.read({
      onBytes: bytes => {
        heard.push(Buffer.from(bytes).toString());
        answer.pause();
      },
      onEnd: () => heard.push("end"),
      onFailure: failure => heard.push(failure.kind),
    });
    await Bun.sleep(50);
    expect(heard).toEqual(["hello"]);
    answer.resume();
    expect(await until(() => client.stats().idle === 1)).toBe(true);
    expect(heard).toEqual(["hello", "world"]);
    answer.resume();
    expect(heard).toEqual(["hello", "world", "end"]);
  });

  test("gets what had arrived before a reset, then the failure", async () => {
    const server = await rig.server(socket => {
      socket.on("data", async () => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello");
        await Bun.sleep(20);
        socket.write("world");
        await Bun.sleep(20);
        socket.resetAndDestroy();
      });
    });
    const answer = await rig.client().send(get(server.port), limits).answer;
    answer.pause();
    const outcome = readAll(answer);
    await Bun.sleep(100);
    answer.resume();
    const { bytes, failure } = await outcome;
    expect(bytes.toString()).toStartWith("hello");
    expect(failure?.kind).toBe("cut");
  });
});

describe("a large upload", () => {
  test("reaches a slow reader whole", async () => {
    const body = Buffer.alloc(20_000_000);
    for (let at = 0; at < body.length; at += 1000) body.writeUInt32LE(at, at);
    const hasher = new Bun.CryptoHasher("sha256");
    let received = 0;
    const server = await rig.server(socket => {
      socket.on("data", (data: Buffer) => {
        const start = received === 0 ? data.indexOf("\r\n\r\n") + 4 : 0;
        hasher.update(data.subarray(start));
        received += data.length - start;
        socket.pause();
        setTimeout(() => socket.resume(), 1);
        if (received === body.length) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      });
    });
    const client = rig.client();
    const answer = await client.send(get(server.port, { method: "POST", body }), limits).answer;
    expect([answer.status, client.stats().idle]).toEqual([200, 1]);
    expect(hasher.digest("hex")).toBe(new Bun.CryptoHasher("sha256").update(body).digest("hex"));
  });

  test("answered before it was taken gives the answer, and its connection is not kept", async () => {
    const server = await rig.server(socket => {
      socket.once("data", () => {
        socket.pause();
        socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno");
      });
    });
    const client = rig.client();
    const request = get(server.port, { method: "POST", body: Buffer.alloc(20_000_000) });
    const answer = await client.send(request, limits).answer;
    expect([answer.status, (await readAll(answer)).bytes.toString()]).toEqual([413, "no"]);
    expect(client.stats()).toEqual({ idle: 0, busy: 0 });
  });

  test("that is never taken is ended by the limit on the first byte", async () => {
    const server = await rig.server(socket => socket.pause());
    const request = get(server.port, { method: "POST", body: Buffer.alloc(20_000_000) });
    const failure = await rig
      .client()
      .send(request, { ...limits, firstByteMsMax: 200 })
      .answer.catch(error => error);
    expect(failure.kind).toBe("first-byte-timeout");
  });
});
