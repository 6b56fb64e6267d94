import { afterEach, describe, expect, test } from "bun:test";
import type { Answer } from "./answer.ts";
import { get, kindOf, limits, Rig, readAll, until } from "./http1-test-rig.ts";

const rig = new Rig();
afterEach(() => rig.close());

const partial = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello";

describe("the limit", () => {
  test("on connecting includes the TLS handshake", async () => {
    const server = await rig.server(socket => socket.resume());
    const url = new URL(`https://127.0.0.1:${server.port}/`);
    const { answer } = rig.client().send(get(server.port, { url }), { ...limits, connectMsMax: 100 });
    expect(await kindOf(answer)).toBe("connect-timeout");
    expect(await until(() => server.closed === 1)).toBe(true);
  });

  test("on the first byte", async () => {
    const server = await rig.server(socket => socket.resume());
    const { answer } = rig.client().send(get(server.port), { ...limits, firstByteMsMax: 100 });
    expect(await kindOf(answer)).toBe("first-byte-timeout");
    expect([await until(() => server.closed === 1), server.accepted]).toEqual([true, 1]);
  });

  test("on the head's length", async () => {
    const server = await rig.answering(`HTTP/1.1 200 OK\r\na: ${"x".repeat(20_000)}\r\n\r\n`);
    expect(await kindOf(rig.client().send(get(server.port), limits).answer)).toBe("limit");
  });

  test("between bytes, in the body and within the head", async () => {
    const inBody = await rig.answering(partial);
    const inHead = await rig.answering("HTTP/1.1 200");
    const short = { ...limits, idleMsMax: 100 };
    const client = rig.client();
    const { bytes, failure } = await readAll(await client.send(get(inBody.port), short).answer);
    expect([bytes.toString(), failure?.kind]).toEqual(["hello", "idle-timeout"]);
    expect(await kindOf(client.send(get(inHead.port), short).answer)).toBe("idle-timeout");
  });

  test("between bytes starts anew with each of them", async () => {
    const pieces = Array.from({ length: 10 }, () => "1\r\nx\r\n");
    const server = await rig.server(socket => {
      socket.on("data", async () => {
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        for (const piece of [...pieces, "0\r\n\r\n"]) {
          await Bun.sleep(50);
          socket.write(piece);
        }
      });
    });
    const { failure } = await readAll(
      await rig.client().send(get(server.port), { ...limits, idleMsMax: 300 }).answer,
    );
    expect(failure).toBeNull();
  });

  test("between bytes does not run while paused", async () => {
    const server = await rig.answering(partial);
    const answer = await rig.client().send(get(server.port), { ...limits, idleMsMax: 60 }).answer;
    answer.pause();
    const outcome = readAll(answer);
    const early = await Promise.race([outcome, Bun.sleep(400).then(() => "still waiting")]);
    expect(early).toBe("still waiting");
    answer.resume();
    const { bytes, failure } = await outcome;
    expect([bytes.toString(), failure?.kind]).toEqual(["hello", "idle-timeout"]);
  });
});

describe("an abort closes the connection at once and nothing more is heard", () => {
  const silent = () => rig.server(socket => socket.resume());

  test("while connecting", async () => {
    const server = await silent();
    const client = rig.client();
    const exchange = client.send(get(server.port), limits);
    exchange.abort();
    const failure = await exchange.answer.catch(error => error);
    expect([failure.kind, failure.detail]).toEqual(["cut", "aborted"]);
    expect(client.stats()).toEqual({ idle: 0, busy: 0 });
    expect(await until(() => server.closed === 1, 100)).toBe(true);
  });

  test("during the TLS handshake", async () => {
    const server = await silent();
    const url = new URL(`https://127.0.0.1:${server.port}/`);
    const exchange = rig.client().send(get(server.port, { url }), limits);
    await until(() => server.accepted === 1);
    exchange.abort();
    expect(await kindOf(exchange.answer)).toBe("cut");
    expect(await until(() => server.closed === 1, 100)).toBe(true);
  });

  test("before the head, though nobody listens", async () => {
    let requests = 0;
    const server = await rig.server(socket => socket.on("data", () => (requests += 1)));
    const exchange = rig.client().send(get(server.port), limits);
    await until(() => requests === 1);
    exchange.abort();
    exchange.abort();
    expect(await until(() => server.closed === 1, 100)).toBe(true);
  });

  for (const [name, prepare] of [
    ["in the body", () => undefined],
    ["in the body, paused", (answer: Answer) => answer.pause()],
  ] as const) {
    test(name, async () => {
      const server = await rig.answering(partial);
      const answer = await rig.client().send(get(server.port), limits).answer;
      const heard: string[] = [];
      answer.read({
        onBytes: bytes => heard.push(Buffer.from(bytes).toString()),
        onEnd: () => heard.push("end"),
        onFailure: failure => heard.push(failure.kind),
      });
      prepare(answer);
      await until(() => heard.length > 0, 50);
      answer.abort();
      expect(await until(() => server.closed === 1, 100)).toBe(true);
      await Bun.sleep(20);
      expect(heard).toEqual(["hello"]);
    });
  }

  test("but after the end it is harmless, even from the last bytes", async () => {
    const server = await rig.answering("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello");
    const client = rig.client();
    const answer = await client.send(get(server.port), limits).answer;
    const heard: string[] = [];
    answer.read({
      onBytes: () => answer.abort(),
      onEnd: () => heard.push("end"),
      onFailure: failure => heard.push(failure.kind),
    });
    answer.abort();
    await readAll(await client.send(get(server.port), limits).answer);
    expect([heard, server.accepted]).toEqual([[], 1]);
  });
});
