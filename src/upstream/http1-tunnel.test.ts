import { afterEach, describe, expect, test } from "bun:test";
import net from "node:net";
import { type OutboundRequest, UpstreamFailure } from "./answer.ts";
import { limits, Rig, readAll, until } from "./http1-test-rig.ts";
import { canCertify, certificate, secureServer } from "./http1-tls-test-rig.ts";

const rig = new Rig();
afterEach(() => rig.close());

/** A proxy that leads wherever it is asked to, to one port of this machine, or replies what it is told to. */
async function proxy(to: { port: number } | null, reply = "HTTP/1.1 200 Connection established\r\n\r\n") {
  const seen = { port: 0, asked: [] as string[], closed: 0 };
  const server = await rig.server(socket => {
    socket.on("close", () => {
      seen.closed += 1;
    });
    socket.once("data", data => {
      seen.asked.push(data.toString("latin1"));
      if (to === null) {
        socket.write(reply);
        return;
      }
      const onward = net.connect(to.port, "127.0.0.1", () => {
        socket.write(reply);
        socket.pipe(onward).pipe(socket);
      });
      onward.on("error", () => socket.destroy());
      rig.onClose(() => onward.destroy());
    });
  });
  seen.port = server.port;
  return seen;
}

function request(address: string, extra: Partial<OutboundRequest> = {}): OutboundRequest {
  return { method: "GET", url: new URL(address), headers: {}, body: null, ...extra };
}

const askedOnly = (asked: string[]) =>
  asked
    .join("")
    .split("\r\n")
    .filter(line => line !== "");

type Client = ReturnType<Rig["client"]>;
const failureOf = (client: Client, sent: OutboundRequest): Promise<UpstreamFailure> =>
  client.send(sent, limits).answer.then(
    () => new UpstreamFailure("protocol", "it was answered"),
    error => error,
  );

// Without openssl there is no certificate to test with.
describe.skipIf(!canCertify)("through a proxy", () => {
  const pair = canCertify ? certificate("DNS:api.test") : { key: "", cert: "" };
  const tls = { ca: pair.cert };
  const never = () => Promise.reject(new Error("nobody may look it up"));

  test("an https upstream is reached by its name, unresolved, and the connection kept", async () => {
    const server = await secureServer(rig, pair);
    const way = await proxy(server);
    const client = rig.client({ tls, httpsProxy: `http://me:p%40ss@127.0.0.1:${way.port}`, lookUp: never });
    const secret = { headers: { authorization: "Bearer upstream-secret" } };
    for (let count = 0; count < 3; count += 1) {
      const answer = await client.send(request("https://api.test/v1/models", secret), limits).answer;
      const { bytes, failure } = await readAll(answer);
      expect([bytes.length, failure]).toEqual([200_000, null]);
    }
    expect(server).toMatchObject({ connections: 1, requests: 3, alpn: "http/1.1", serverName: "api.test" });
    expect(askedOnly(way.asked)).toEqual([
      "CONNECT api.test:443 HTTP/1.1",
      "host: api.test:443",
      `proxy-authorization: Basic ${btoa("me:p@ss")}`,
    ]);
    expect(server.received).toContain("authorization: Bearer upstream-secret");
    expect(server.received).not.toContain("proxy-authorization");
    expect(client.stats()).toEqual({ idle: 1, busy: 0 });
  });

  test("a certificate is checked end to end, and no request is sent to the wrong one", async () => {
    const server = await secureServer(rig, pair);
    const way = await proxy(server);
    const httpsProxy = `http://127.0.0.1:${way.port}`;
    const other = await failureOf(rig.client({ tls, httpsProxy }), request("https://other.test/"));
    expect([other.kind, other.detail]).toEqual(["connect", expect.stringContaining("ALTNAME")]);
    const unknown = await failureOf(rig.client({ httpsProxy }), request("https://api.test/"));
    expect([unknown.kind, unknown.detail]).toEqual(["connect", expect.stringContaining("SELF_SIGNED")]);
    expect(server.requests).toBe(0);
    expect(await until(() => way.closed === 2)).toBe(true);
  });

  test("a stalled reader holds the upstream back, and an abort closes the way", async () => {
    let sent = 0;
    const server = await secureServer(rig, pair, socket => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const more = () => {
        do sent += 65_536;
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
        socket.once("drain", more);
      };
      more();
    });
    const way = await proxy(server);
    const client = rig.client({ tls, httpsProxy: `http://127.0.0.1:${way.port}` });
    const answer = await client.send(request("https://api.test/"), limits).answer;
    let received = 0;
    answer.read({
      onBytes: bytes => {
        received += bytes.length;
        if (received > 1_000_000) answer.pause();
      },
      onEnd: () => undefined,
      onFailure: () => undefined,
    });
    expect(await until(() => received > 1_000_000)).toBe(true);
    await Bun.sleep(200);
    const before = [received, sent];
    await Bun.sleep(150);
    expect([received, sent]).toEqual(before);
    answer.abort();
    expect(await until(() => way.closed === 1)).toBe(true);
    expect(client.stats()).toEqual({ idle: 0, busy: 0 });
  });

  test("an answer that ends with its connection is whole, and one that is cut is not", async () => {
    const whole = await secureServer(rig, pair, socket => socket.end("HTTP/1.1 200 OK\r\n\r\nhello"));
    const cut = await secureServer(rig, pair, socket => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello");
      setTimeout(() => socket.destroy(), 20);
    });
    const results = [];
    for (const server of [whole, cut]) {
      const way = await proxy(server);
      const client = rig.client({ tls, httpsProxy: `http://127.0.0.1:${way.port}` });
      const { bytes, failure } = await readAll(
        await client.send(request("https://api.test/"), limits).answer,
      );
      results.push([bytes.toString(), failure?.kind]);
    }
    expect(results).toEqual([
      ["hello", undefined],
      ["hello", "cut"],
    ]);
  });

  test("what NO_PROXY names, an http upstream and this machine are reached without it", async () => {
    const server = await secureServer(rig, pair);
    const plain = await rig.answering("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    const way = await proxy(null);
    const client = rig.client({
      tls,
      httpsProxy: `http://127.0.0.1:${way.port}`,
      noProxy: ["api.test"],
      privateUpstreams: ["api.test"],
      lookUp: async () => ["127.0.0.1"],
    });
    const answer = await client.send(request(`https://api.test:${server.port}/`), limits).answer;
    expect((await readAll(answer)).bytes.length).toBe(200_000);
    await readAll(await client.send(request(`http://127.0.0.1:${plain.port}/`), limits).answer);
    const own = await failureOf(client, request(`https://127.0.0.1:${server.port}/`));
    expect(own.detail).toContain("ALTNAME");
    expect(way.asked).toEqual([]);
  });
});

describe("a proxy", () => {
  const REPLIES: readonly (readonly [string, string])[] = [
    ["HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "another user name or password"],
    ["HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n", "status 403"],
    ["HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\n\r\n", "status 302"],
    ["HTTP/1.1 200 OK\r\n\r\nsurprise", "sent more than a reply"],
    ["SSH-2.0-OpenSSH\r\n\r\n", "not HTTP"],
    [`HTTP/1.1 200 OK\r\nx: ${"x".repeat(20_000)}`, "too long"],
  ];
  for (const [reply, sentence] of REPLIES) {
    test(`that replies ${JSON.stringify(reply.slice(0, 32))} is a failure that names no credential`, async () => {
      const way = await proxy(null, reply);
      const client = rig.client({ httpsProxy: `http://me:hunter2@127.0.0.1:${way.port}` });
      const failure = await failureOf(client, request("https://api.test/"));
      expect(failure.detail).toContain(sentence);
      expect(failure.detail).not.toMatch(/hunter2|Basic/);
      expect(await until(() => way.closed === 1)).toBe(true);
      expect(client.stats()).toEqual({ idle: 0, busy: 0 });
    });
  }

  test("that refuses, closes, or says nothing is a failure to connect in time", async () => {
    const refused = await failureOf(
      rig.client({ httpsProxy: "http://127.0.0.1:1" }),
      request("https://api.test/"),
    );
    expect(refused.detail).toContain("ECONNREFUSED");
    const closing = await rig.server(socket => socket.once("data", () => socket.end()));
    const client = rig.client({ httpsProxy: `http://127.0.0.1:${closing.port}` });
    expect((await failureOf(client, request("https://api.test/"))).detail).toContain("closed the connection");
    const silent = await rig.server(socket => socket.resume());
    const patient = rig.client({ httpsProxy: `http://127.0.0.1:${silent.port}` });
    const exchange = patient.send(request("https://api.test/"), { ...limits, connectMsMax: 60 });
    expect((await exchange.answer.catch(error => error)).kind).toBe("connect-timeout");
    expect(await until(() => silent.closed === 1)).toBe(true);
  });

  test("may be at a private address, by name too, but is not asked for an address that no upstream may have", async () => {
    const way = await proxy(null, "HTTP/1.1 403 Forbidden\r\n\r\n");
    const lookUp = async () => ["127.0.0.1"];
    const client = rig.client({ httpsProxy: `http://proxy.test:${way.port}`, lookUp });
    expect((await failureOf(client, request("https://api.test/"))).detail).toContain("status 403");
    for (const host of [
      "169.254.169.254",
      "2852039166",
      "[::ffff:10.0.0.1]",
      "[fe80::1]",
      "metadata.google.internal",
    ]) {
      const failure = await failureOf(client, request(`https://${host}/`));
      expect(failure.kind).toBe("connect");
      expect(failure.detail).toMatch(/is refused|metadata/);
    }
    expect(way.asked).toHaveLength(1);
  });
});
