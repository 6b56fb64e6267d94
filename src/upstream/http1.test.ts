import { afterEach, describe, expect, test } from "bun:test";
import { get, kindOf, limits, Rig, readAll, until } from "./http1-test-rig.ts";

const rig = new Rig();
afterEach(() => rig.close());

const lengthResponse = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\nx-a: 1\r\n\r\nhello";
const chunkedResponse =
  "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nt: 1\r\n\r\n";

describe("an answer", () => {
  for (const [name, text] of [
    ["with a length", lengthResponse],
    ["in chunks", chunkedResponse],
  ] as const) {
    test(`${name} arrives whole, wherever it is split`, async () => {
      const client = rig.client();
      const splits = Array.from({ length: text.length - 1 }, (_, index) => index + 1);
      const bodies = await Promise.all(
        splits.map(async at => {
          const server = await rig.answering(text.slice(0, at), text.slice(at));
          const { bytes, failure } = await readAll(await client.send(get(server.port), limits).answer);
          return failure?.detail ?? bytes.toString();
        }),
      );
      expect(bodies).toEqual(splits.map(() => "hello"));
      expect(client.stats()).toEqual({ idle: splits.length, busy: 0 });
    });
  }

  test("without a length ends when the upstream closes, and its connection is not kept", async () => {
    const server = await rig.server(socket => {
      socket.on("data", () => socket.end("HTTP/1.0 200 OK\r\n\r\nhello"));
    });
    const client = rig.client();
    const answer = await client.send(get(server.port), limits).answer;
    expect((await readAll(answer)).bytes.toString()).toBe("hello");
    expect(client.stats()).toEqual({ idle: 0, busy: 0 });
  });

  test("that redirects is only an answer", async () => {
    const server = await rig.answering("HTTP/1.1 302 Found\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n");
    const answer = await rig.client().send(get(server.port), limits).answer;
    expect([answer.status, answer.headers.get("location"), server.accepted]).toEqual([302, "/b", 1]);
  });

  test("read late is still whole, with its end", async () => {
    const server = await rig.answering("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello", "world");
    const answer = await rig.client().send(get(server.port), limits).answer;
    await Bun.sleep(30);
    expect((await readAll(answer)).bytes.toString()).toBe("helloworld");
  });

  test("cut in its body fails after what did arrive", async () => {
    const server = await rig.server(socket => {
      socket.on("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello"));
    });
    const { bytes, failure } = await readAll(await rig.client().send(get(server.port), limits).answer);
    expect([bytes.toString(), failure?.kind]).toEqual(["hello", "cut"]);
  });

  test("that is malformed is a failure, and its connection is closed", async () => {
    const server = await rig.answering("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n");
    const client = rig.client();
    expect(await kindOf(client.send(get(server.port), limits).answer)).toBe("protocol");
    expect(await until(() => server.closed === 1)).toBe(true);
    expect(client.stats()).toEqual({ idle: 0, busy: 0 });
  });

  for (const encoding of ["gzip", "br", "x-made-up", "identity, gzip"]) {
    test(`compressed all the same (${encoding}) is a failure: nothing of it is delivered or guessed at`, async () => {
      const body = Buffer.from(Bun.gzipSync(Buffer.from("hello"))).toString("latin1");
      const head = `content-encoding: ${encoding}\r\ncontent-length: ${body.length}\r\n\r\n`;
      for (const status of [200, 302, 400, 422]) {
        const server = await rig.answering(`HTTP/1.1 ${status} Whatever\r\n${head}${body}`);
        const exchange = rig.client().send(get(server.port), limits);
        const failure = await exchange.answer.catch(error => error);
        expect([failure.kind, failure.detail]).toEqual(["protocol", expect.stringContaining("compressed")]);
      }

      // Another refusal is known by its status, and has no text.
      const bad = await rig.answering(`HTTP/1.1 429 Slow Down\r\nretry-after: 7\r\n${head}`, body);
      const answer = await rig.client().send(get(bad.port), limits).answer;
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "7"]);
      const read = await readAll(answer);
      expect([read.bytes.length, read.failure]).toEqual([0, null]);
    });
  }

  test("that says it is not compressed, or has no body that could be, is an answer", async () => {
    for (const head of [
      "content-encoding: identity\r\n",
      "content-encoding: Identity\r\n",
      "content-encoding:\r\n",
    ]) {
      const server = await rig.answering(`HTTP/1.1 200 OK\r\n${head}content-length: 2\r\n\r\nok`);
      expect((await readAll(await rig.client().send(get(server.port), limits).answer)).bytes.toString()).toBe(
        "ok",
      );
    }
    const empty = await rig.answering("HTTP/1.1 204 No Content\r\ncontent-encoding: gzip\r\n\r\n");
    expect((await rig.client().send(get(empty.port), limits).answer).status).toBe(204);
  });

  test("whose consumer throws fails for that consumer alone", async () => {
    const server = await rig.answering(chunkedResponse);
    const client = rig.client();
    const answer = await client.send(get(server.port), limits).answer;
    const detail = await new Promise<string>(resolve => {
      answer.read({
        onBytes: () => {
          throw new Error("no room");
        },
        onEnd: () => resolve("ended"),
        onFailure: failure => resolve(failure.detail),
      });
    });
    expect(detail).toContain("no room");
    expect((await readAll(await client.send(get(server.port), limits).answer)).bytes.toString()).toBe(
      "hello",
    );
  });
});

describe("a request", () => {
  test("is written with our own framing headers", async () => {
    let seen = "";
    const server = await rig.server(socket => {
      socket.on("data", data => {
        seen += data.toString("latin1");
        socket.write(lengthResponse);
      });
    });
    const headers = {
      authorization: "Bearer x",
      Host: "evil",
      "Content-Length": "9",
      "transfer-encoding": "chunked",
    };
    await rig.client().send(get(server.port, { method: "POST", headers, body: Buffer.from("{}") }), limits)
      .answer;
    expect(seen).toBe(
      `POST /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nauthorization: Bearer x\r\n` +
        "accept-encoding: identity\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\n{}",
    );
  });

  test("with a header that would break out of its line is not sent", async () => {
    const server = await rig.answering(lengthResponse);
    const client = rig.client();
    for (const headers of [
      { a: "secret\r\nb: c" },
      { a: "secret\0" },
      { a: "secret\n" },
      { "a\r\nb": "secret" },
      { a: "secret\u0100" },
    ]) {
      const failure = await client.send(get(server.port, { headers }), limits).answer.catch(error => error);
      expect(failure.kind).toBe("protocol");
      expect(failure.detail).not.toContain("secret");
    }
    expect(server.accepted).toBe(0);
  });
});

describe("a connection", () => {
  test("is used again after a complete answer", async () => {
    const server = await rig.answering(chunkedResponse);
    const client = rig.client();
    for (let count = 0; count < 20; count += 1)
      await readAll(await client.send(get(server.port), limits).answer);
    expect([server.accepted, client.stats()]).toEqual([1, { idle: 1, busy: 0 }]);
  });

  for (const [name, text] of [
    ["after bytes nobody asked for", `${lengthResponse}X`],
    ["when the upstream says so", lengthResponse.replace("x-a: 1", "connection: close")],
  ] as const) {
    test(`is not used again ${name}`, async () => {
      const server = await rig.answering(text);
      const client = rig.client();
      for (let count = 0; count < 2; count += 1)
        await readAll(await client.send(get(server.port), limits).answer);
      expect([server.accepted, client.stats().idle]).toEqual([2, 0]);
    });
  }

  test("is not kept beyond the number and the time allowed", async () => {
    const server = await rig.answering(lengthResponse);
    const client = rig.client({ idleConnectionsMax: 2, idleConnectionMsMax: 100 });
    const answers = await Promise.all([1, 2, 3, 4].map(() => client.send(get(server.port), limits).answer));
    await Promise.all(answers.map(readAll));
    expect(client.stats()).toEqual({ idle: 2, busy: 0 });
    expect(await until(() => client.stats().idle === 0 && server.closed === 4)).toBe(true);
  });

  test("closed by the upstream while idle, or sending while idle, is forgotten", async () => {
    for (const act of ["close", "send"]) {
      const server = await rig.server(socket => {
        socket.on("data", () => {
          socket.write(lengthResponse);
          setTimeout(() => (act === "close" ? socket.end() : socket.write("HTTP/1.1 408 Late\r\n\r\n")), 20);
        });
      });
      const client = rig.client();
      await readAll(await client.send(get(server.port), limits).answer);
      expect(client.stats().idle).toBe(1);
      expect(await until(() => client.stats().idle === 0)).toBe(true);
    }
  });

  for (const how of ["end", "resetAndDestroy"] as const) {
    test(`that went stale (${how}) is replaced once, unseen`, async () => {
      const server = await rig.server((socket, state) => {
        let requests = 0;
        const first = state.accepted === 1;
        socket.on("data", () => {
          requests += 1;
          if (first && requests === 2) socket[how]();
          else socket.write(lengthResponse);
        });
      });
      const client = rig.client();
      await readAll(await client.send(get(server.port), limits).answer);
      const { bytes } = await readAll(await client.send(get(server.port), limits).answer);
      expect([bytes.toString(), server.accepted]).toEqual(["hello", 2]);
    });
  }

  test("that is fresh and closed without an answer is a failure, and so is the second attempt", async () => {
    const server = await rig.server((socket, state) => {
      let requests = 0;
      const first = state.accepted === 1;
      socket.on("data", () => {
        requests += 1;
        if (first && requests === 1) socket.write(lengthResponse);
        else socket.end();
      });
    });
    const client = rig.client();
    await readAll(await client.send(get(server.port), limits).answer);
    expect(await kindOf(client.send(get(server.port), limits).answer)).toBe("cut");
    expect(await kindOf(client.send(get(server.port), limits).answer)).toBe("cut");
    expect(server.accepted).toBe(3);
  });

  test("refused is a failure to connect", async () => {
    expect(await kindOf(rig.client().send(get(1), limits).answer)).toBe("connect");
  });

  test("is closed with the client, and its call fails", async () => {
    const server = await rig.server(socket => socket.resume());
    const client = rig.client();
    const kind = kindOf(client.send(get(server.port), limits).answer);
    await until(() => server.accepted === 1);
    client.close();
    expect([await kind, client.stats().busy]).toEqual(["cut", 0]);
    expect(await kindOf(client.send(get(server.port), limits).answer)).toBe("connect");
    expect(await until(() => server.closed === 1)).toBe(true);
  });
});
