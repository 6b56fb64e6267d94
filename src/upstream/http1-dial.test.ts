import { afterEach, describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import type { UpstreamFailure } from "./answer.ts";
import { type LookUp, systemLookUp } from "./http1-addresses.ts";
import { get, limits, Rig, readAll, type TestServer } from "./http1-test-rig.ts";

const rig = new Rig();
afterEach(() => rig.close());

const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";

/** A resolver that says what it is told to, and how often it was asked. */
function resolver(...answers: (readonly string[])[]): LookUp & { asked: string[] } {
  const asked: string[] = [];
  const lookUp = async (host: string) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(host);
    if (answer === undefined) throw new Error("ENOTFOUND");
    return answer;
  };
  return Object.assign(lookUp, { asked });
}

const at = (host: string, { port }: { port: number }) =>
  get(port, { url: new URL(`http://${host}:${port}/`) });

type Sent = { body: string } | { failure: UpstreamFailure };
async function sent(client: ReturnType<Rig["client"]>, request: ReturnType<typeof get>): Promise<Sent> {
  try {
    const { bytes } = await readAll(await client.send(request, limits).answer);
    return { body: bytes.toString() };
  } catch (error) {
    return { failure: error as UpstreamFailure };
  }
}
const detailOf = (result: Sent) =>
  "failure" in result ? `${result.failure.kind}: ${result.failure.detail}` : "";

const interfaces = Object.values(networkInterfaces()).flatMap(list => list ?? []);
const hasIpv6 = interfaces.some(({ address }) => address === "::1");

/** On every address of this machine. */
const canary = (): Promise<TestServer> =>
  rig.server(socket => socket.end(ANSWER), { host: hasIpv6 ? "::" : "0.0.0.0" });

describe("a name", () => {
  test("that leads to this machine is refused, and nobody connects", async () => {
    const server = await canary();
    const client = rig.client({ lookUp: resolver(["127.0.0.1", "::1", "10.0.0.1"]) });
    expect(detailOf(await sent(client, at("api.test", server)))).toContain("connect: api.test at 127.0.0.1");
    expect(server.accepted).toBe(0);
    expect(client.stats()).toEqual({ idle: 0, busy: 0 });
  });

  test("that is listed is connected to, and asks for itself", async () => {
    let head = "";
    const server = await rig.server(socket =>
      socket.on("data", data => {
        head += data.toString();
        socket.end(ANSWER);
      }),
    );
    const client = rig.client({ lookUp: resolver(["127.0.0.1"]), privateUpstreams: ["api.test"] });
    expect(await sent(client, at("api.test", server))).toEqual({ body: "ok" });
    expect(head).toContain(`host: api.test:${server.port}\r\n`);
  });

  test("of which only some addresses are allowed goes to these", async () => {
    const server = await canary();
    const client = rig.client({
      lookUp: resolver(["::1", "10.0.0.1", "127.0.0.2"]),
      privateUpstreams: ["127.0.0.2"],
    });
    const seen: (string | undefined)[] = [];
    server.onAccept = socket => seen.push(socket.localAddress);
    expect(await sent(client, at("api.test", server))).toEqual({ body: "ok" });
    expect(seen).toEqual([expect.stringMatching(/127\.0\.0\.2$/)]);
  });

  test("that means something else the second time is judged anew, and is asked for once for each check", async () => {
    const server = await canary();
    const lookUp = resolver(["127.0.0.2"], ["127.0.0.1"]);
    const first = rig.client({ lookUp, privateUpstreams: ["127.0.0.2"] });
    expect(await sent(first, at("api.test", server))).toEqual({ body: "ok" });
    // What was checked was connected to without another question.
    expect(lookUp.asked).toEqual(["api.test"]);
    // Within the time that it is known, whoever answers questions now is not asked.
    expect(await sent(first, at("api.test", server))).toEqual({ body: "ok" });
    expect(lookUp.asked).toEqual(["api.test"]);
    const second = rig.client({ lookUp, privateUpstreams: ["127.0.0.2"] });
    expect(detailOf(await sent(second, at("api.test", server)))).toContain("api.test at 127.0.0.1");
    expect(server.accepted).toBe(2);
  });

  test("is looked up once for a burst of connections", async () => {
    const server = await canary();
    const lookUp = resolver(["127.0.0.1"]);
    const client = rig.client({ lookUp, privateUpstreams: ["127.0.0.0/8"] });
    const results = await Promise.all(Array.from({ length: 20 }, () => sent(client, at("api.test", server))));
    expect(results).toEqual(Array(20).fill({ body: "ok" }));
    expect(lookUp.asked).toEqual(["api.test"]);
  });

  test("that cannot be resolved is a failure to connect, and is asked for again the next time", async () => {
    const lookUp = resolver();
    const client = rig.client({ lookUp });
    for (let count = 0; count < 2; count += 1) {
      const detail = detailOf(await sent(client, at("api.test", { port: 9 })));
      expect(detail).toBe("connect: the name api.test cannot be resolved");
    }
    expect(lookUp.asked).toHaveLength(2);
  });

  test("without addresses is a failure to connect", async () => {
    const client = rig.client({ lookUp: resolver([]) });
    expect(detailOf(await sent(client, at("api.test", { port: 9 })))).toContain("has no address");
  });

  test("that nobody answers for is given up in time, and an abort meanwhile is heard at once", async () => {
    const client = rig.client({ lookUp: () => new Promise(() => undefined) });
    const short = { ...limits, connectMsMax: 60 };
    const failure = await client.send(at("api.test", { port: 9 }), short).answer.catch(error => error);
    expect(failure.kind).toBe("connect-timeout");
    const exchange = client.send(at("api.test", { port: 9 }), limits);
    exchange.abort();
    expect((await exchange.answer.catch(error => error)).detail).toBe("aborted");
    expect(client.stats()).toEqual({ idle: 0, busy: 0 });
  });

  test("resolved after the call was given up opens no connection", async () => {
    const server = await canary();
    const found = Promise.withResolvers<string[]>();
    const client = rig.client({ lookUp: () => found.promise, privateUpstreams: ["api.test"] });
    const exchange = client.send(at("api.test", server), limits);
    exchange.abort();
    found.resolve(["127.0.0.1"]);
    await Bun.sleep(30);
    expect(server.accepted).toBe(0);
  });
});

test("the system's own resolver gives addresses, and rejects a name that it does not know", async () => {
  const addresses = await systemLookUp("localhost");
  expect(addresses.some(address => address === "127.0.0.1" || address === "::1")).toBe(true);
  expect(await systemLookUp("a..b").catch(() => "unknown")).toBe("unknown");
});

describe("what the operator wrote", () => {
  test("an address, or localhost, is meant and is not looked up", async () => {
    const server = await canary();
    const lookUp = resolver(["10.0.0.1"]);
    const client = rig.client({ lookUp });
    for (const host of ["127.0.0.1", "127.0.0.2", "localhost", ...(hasIpv6 ? ["[::1]"] : [])]) {
      expect(await sent(client, at(host, server))).toEqual({ body: "ok" });
    }
    expect(lookUp.asked).toEqual([]);
  });

  test.skipIf(!hasIpv6)("of localhost finds the one of its two addresses that listens", async () => {
    const server = await rig.server(socket => socket.end(ANSWER), { host: "::1" });
    expect(await sent(rig.client(), at("localhost", server))).toEqual({ body: "ok" });
  });
});

describe("of several addresses", () => {
  test("the next is tried where one refuses", async () => {
    const server = await rig.server(socket => socket.end(ANSWER), { host: "127.0.0.3" });
    const lookUp = resolver(["127.0.0.1", "127.0.0.2", "127.0.0.3"]);
    const client = rig.client({ lookUp, privateUpstreams: ["127.0.0.0/8"] });
    expect(await sent(client, at("api.test", server))).toEqual({ body: "ok" });
  });

  test("it is a failure where all refuse", async () => {
    const client = rig.client({
      lookUp: resolver(["127.0.0.1", "127.0.0.2"]),
      privateUpstreams: ["api.test"],
    });
    expect(detailOf(await sent(client, at("api.test", { port: 1 })))).toContain("connect: ECONNREFUSED");
    expect(client.stats()).toEqual({ idle: 0, busy: 0 });
  });

  test("one that hangs does not hold up the others", async () => {
    const { port } = await hangingListener("127.0.0.9");
    const server = await rig.server(socket => socket.end(ANSWER), { host: "127.0.0.3", port });
    const lookUp = resolver(["127.0.0.9", "127.0.0.3"]);
    const client = rig.client({ lookUp, privateUpstreams: ["api.test"] });
    const startMs = performance.now();
    expect(await sent(client, at("api.test", server))).toEqual({ body: "ok" });
    expect(performance.now() - startMs).toBeLessThan(limits.connectMsMax - 1000);
    expect(client.stats()).toEqual({ idle: 0, busy: 0 });
  });

  test("one that opens after another did is let go, and nothing is heard of it", async () => {
    const { port, heard } = await hangingListener("127.0.0.9", 1_200);
    const requests: string[] = [];
    const server = await rig.server(
      socket => {
        socket.on("data", data => requests.push(data.toString()));
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\nconnection: close\r\n\r\nhello");
        setTimeout(() => socket.end("world"), 4_000);
      },
      { host: "127.0.0.3", port },
    );
    const lookUp = resolver(["127.0.0.9", "127.0.0.3"]);
    const client = rig.client({ lookUp, privateUpstreams: ["api.test"] });
    const answered = sent(client, at("api.test", server));
    expect(await Promise.race([heard(), answered])).toBe("closed\n");
    expect(await answered).toEqual({ body: "helloworld" });
    expect(requests).toHaveLength(1);
    expect(client.stats()).toEqual({ idle: 0, busy: 0 });
  }, 20_000);

  test("one that hangs alone is given up in time", async () => {
    const { port } = await hangingListener("127.0.0.9");
    const client = rig.client({ lookUp: resolver(["127.0.0.9"]), privateUpstreams: ["api.test"] });
    const short = { ...limits, connectMsMax: 100 };
    const failure = await client.send(at("api.test", { port }), short).answer.catch(error => error);
    expect(failure.kind).toBe("connect-timeout");
    expect(client.stats()).toEqual({ idle: 0, busy: 0 });
  });
});

const SLEEPER = `const say = line => require("node:fs").writeSync(1, line + "\\n");
const server = require("node:net").createServer(socket => socket.resume().on("error", () => {}).on("close", () => say("closed")));
server.listen(0, process.argv[1], () => {
  say(server.address().port);
  Bun.sleepSync(Number(process.argv[2]));
});`;

/** A listener that accepts nobody for a while, behind a queue that is full: whoever comes hears nothing at all. */
async function hangingListener(host: string, sleepMs = 20_000) {
  const child = Bun.spawn([process.execPath, "-e", SLEEPER, host, String(sleepMs)], { stdout: "pipe" });
  rig.onClose(() => child.kill("SIGKILL"));
  const reader = child.stdout.getReader();
  const heard = async () => Buffer.from((await reader.read()).value ?? []).toString();
  const port = Number(await heard());
  const quiet = { open() {}, data() {}, close() {}, error() {} };
  for (let count = 0; count < 10_000; count += 1) {
    const socket = await Promise.race([Bun.connect({ hostname: host, port, socket: quiet }), Bun.sleep(100)]);
    if (!socket) return { port, heard };
    rig.onClose(() => socket.terminate());
  }
  throw new Error("the queue of connections has no end");
}
