import { afterEach, describe, expect, test } from "bun:test";
import type net from "node:net";
import { refusal } from "../domain/errors.ts";
import { type StreamedBody, UploadFailure } from "./answer.ts";
import { get, limits, Rig, readAll, until } from "./http1-test-rig.ts";

const rig = new Rig();
afterEach(() => rig.close());

type Source = StreamedBody & { asked: number; isCancelled: boolean };

/** Gives its pieces one by one, then whatever `last` does. */
function source(
  pieces: readonly Uint8Array[],
  options: { length?: number; last?: () => Promise<null> } = {},
): Source {
  const { length = null, last = () => Promise.resolve(null) } = options;
  const one: Source = {
    contentType: "text/plain",
    length,
    asked: 0,
    isCancelled: false,
    next: () => Promise.resolve(pieces[one.asked++] ?? null).then(piece => piece ?? last()),
    cancel: () => {
      one.isCancelled = true;
    },
  };
  return one;
}

const post = (port: number, body: StreamedBody) => get(port, { method: "POST", body });
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const never = () => new Promise<null>(() => {});

/** Keeps what it gets, and answers when that ends with the given text. */
async function listener(ending: string) {
  const got = { text: "", socket: null as net.Socket | null };
  const server = await rig.server(socket => {
    got.socket = socket;
    socket.on("data", data => {
      got.text += data.toString("latin1");
      if (got.text.endsWith(ending)) socket.write(OK);
    });
  });
  return { got, port: server.port, server };
}

describe("a body that streams", () => {
  test("with a known length is sent as it is, and its connection is kept", async () => {
    const { got, port } = await listener("world");
    const client = rig.client();
    const body = source([Buffer.from("hello "), Buffer.from("world")], { length: 11 });
    const answer = await client.send(post(port, body), limits).answer;
    expect((await readAll(answer)).bytes.toString()).toBe("ok");
    expect(got.text).toContain("content-length: 11\r\n\r\nhello world");
    expect(client.stats()).toEqual({ idle: 1, busy: 0 });
    expect(body.isCancelled).toBe(false);
  });

  test("of unknown length is sent in chunks", async () => {
    const { got, port } = await listener("0\r\n\r\n");
    const body = source([Buffer.from("hello "), Buffer.alloc(20, "x")]);
    await rig.client().send(post(port, body), limits).answer;
    expect(got.text).toEndWith(
      `transfer-encoding: chunked\r\n\r\n6\r\nhello \r\n14\r\n${"x".repeat(20)}\r\n0\r\n\r\n`,
    );
    expect(got.text).not.toContain("content-length");
  });

  test("is asked for no faster than it is taken", async () => {
    const server = await rig.server(socket => socket.pause());
    const pieces = Array.from({ length: 1_000 }, () => Buffer.alloc(100_000));
    const body = source(pieces, { length: 100_000_000 });
    const exchange = rig.client().send(post(server.port, body), limits);
    exchange.answer.catch(() => undefined);
    await Bun.sleep(300);
    const { asked } = body;
    await Bun.sleep(100);
    expect(body.asked).toBe(asked);
    expect(asked).toBeLessThan(200);
    exchange.abort();
    expect(body.isCancelled).toBe(true);
  });

  test("that is refused before its end is not asked for any more", async () => {
    const server = await rig.server(socket => {
      socket.once("data", () => socket.write("HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\n\r\nno"));
    });
    const client = rig.client();
    const body = source([Buffer.from("hello")], { length: 100, last: never });
    const answer = await client.send(post(server.port, body), limits).answer;
    expect([answer.status, (await readAll(answer)).bytes.toString()]).toEqual([413, "no"]);
    expect(body.isCancelled).toBe(true);
    expect(client.stats()).toEqual({ idle: 0, busy: 0 });
  });

  test("that fails takes its connection along, and says why", async () => {
    const { port, server } = await listener("never");
    const last = () => Promise.reject(new UploadFailure(refusal("body_too_large", { limit: 1 })));
    const body = source([Buffer.from("hello")], { length: 100, last });
    const failure = await rig
      .client()
      .send(post(port, body), limits)
      .answer.catch(error => error);
    expect(failure).toBeInstanceOf(UploadFailure);
    expect(failure.refusal.reason).toBe("body_too_large");
    expect(await until(() => server.closed === 1)).toBe(true);
  });

  test("never uses a kept connection, which might be dead, and is never sent twice", async () => {
    const server = await rig.server((socket, { accepted }) => {
      socket.on("data", () => (accepted === 1 ? socket.write(OK) : socket.destroy()));
    });
    const client = rig.client();
    await readAll(await client.send(get(server.port), limits).answer);
    expect(client.stats().idle).toBe(1);
    const body = source([Buffer.from("hello")], { length: 5 });
    const failure = await client.send(post(server.port, body), limits).answer.catch(error => error);
    expect([failure.kind, server.accepted]).toEqual(["cut", 2]);
  });

  test("that stops coming is ended by the limit on the first byte", async () => {
    const { port } = await listener("never");
    const body = source([Buffer.from("hello")], { length: 100, last: never });
    const call = rig.client().send(post(port, body), { ...limits, firstByteMsMax: 200 });
    expect((await call.answer.catch(error => error)).kind).toBe("first-byte-timeout");
    expect(body.isCancelled).toBe(true);
  });
});
