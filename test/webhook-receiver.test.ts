import { afterAll, describe, expect, test } from "bun:test";
import { createHmac, randomBytes } from "node:crypto";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { BOUND_TO } from "../src/console/bound-to.ts";
import { webhookBring } from "../src/console/deliver-webhook.ts";
import type { ClaimedDelivery } from "../src/store/deliveries.ts";
import { outbound } from "../src/upstream/http1.ts";
import { seal } from "../src/upstream/seal.ts";
import { newWebhookSecret } from "../src/upstream/webhook.ts";
import { webhookAddressProblem } from "../src/upstream/webhook-address.ts";

/** What goes over the wire to a receiver, and what is made of the many ways in which it can misbehave. */

const key = new Uint8Array(32).fill(3);
const NOW_MS = 1_800_000_000_500;
const BODY = JSON.stringify({
  type: "key.created",
  timestamp: "2027-01-15T08:00:00.000Z",
  data: { name: "Ünï ✓" },
});
const secret = newWebhookSecret(count => randomBytes(count));
const pool = (privateUpstreams: string[] = ["127.0.0.1"]) =>
  outbound({
    ...{ idleConnectionsMax: 4, idleConnectionMsMax: 1_000, receiveWindowBytes: 65_536 },
    ...{ privateUpstreams, httpsProxy: null, noProxy: [] },
  });
const pools: { close: () => void }[] = [];
const servers: Server[] = [];
const sockets = new Set<Socket>();
afterAll(() => {
  for (const one of pools) one.close();
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

type Got = { head: string; body: string };

/** Speaks raw, so that nothing is made better on the way. */
async function receiver(answer: (socket: Socket) => void): Promise<{ url: string; got: Got[] }> {
  const got: Got[] = [];
  const server = createServer(socket => {
    sockets.add(socket);
    let bytes: Buffer = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", piece => {
      bytes = Buffer.concat([bytes, Buffer.from(piece)]);
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = bytes.subarray(0, end).toString();
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (bytes.length < end + 4 + length) return;
      got.push({ head, body: bytes.subarray(end + 4, end + 4 + length).toString() });
      bytes = bytes.subarray(end + 4 + length);
      answer(socket);
    });
  });
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in?a=1`, got };
}

const says = (text: string) => (socket: Socket) => void socket.write(text.replaceAll("\n", "\r\n"));

function send(url: string, privateHosts = ["127.0.0.1"], row = rowFor(url)) {
  const way = pool(privateHosts);
  pools.push(way);
  const secrets = { seal: key };
  return webhookBring({ outbound: way, privateHosts, secrets, nowMs: () => NOW_MS })(row);
}

const sealedFor = (text: string) => seal(text, { key, boundTo: BOUND_TO.webhooks("whk_1") ?? "" });

type Old = { secret: string; untilMs: number };

/** With secrets that were the newest before, each until its time. */
function rowFor(url: string, old: readonly Old[] = []): ClaimedDelivery {
  const oldSecrets = old.map(({ secret: one, untilMs }) => ({ sealed: sealedFor(one), untilMs }));
  return {
    ...{
      id: "dlv_01",
      webhookId: "whk_1",
      recipient: null,
      event: "key.created",
      about: "key_1",
      body: BODY,
    },
    ...{ state: "waiting", tries: 0, status: null, problem: null, createdAtMs: 0, triedAtMs: null },
    ...{ nextAtMs: 0, webhook: { url, secret: sealedFor(secret), oldSecrets, enabled: true } },
  };
}

const OK = "HTTP/1.1 204 No Content\n\n";

test("what arrives is signed as the Standard Webhooks specification says, and can be checked by anybody who has the secret", async () => {
  const { url, got } = await receiver(says(OK));
  expect(await send(url)).toEqual({ ok: true, status: 204, problem: null });
  const [{ head, body } = { head: "", body: "" }] = got;
  expect(got).toHaveLength(1);
  expect(body).toBe(BODY);
  const [line, ...lines] = head.split("\r\n");
  expect(line).toBe("POST /in?a=1 HTTP/1.1");
  const headers = new Map(lines.map(one => [one.split(": ")[0] ?? "", one.split(": ").slice(1).join(": ")]));
  expect(headers.get("content-type")).toBe("application/json");
  expect(headers.get("webhook-id")).toBe("dlv_01");
  expect(headers.get("webhook-timestamp")).toBe("1800000000");
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(headers.get("webhook-signature")).toBe(signatureWith(secret));
  expect(head + body).not.toContain(secret);
});

function signatureWith(one: string): string {
  const mac = createHmac("sha256", Buffer.from(one.replace("whsec_", ""), "base64"));
  mac.update(Buffer.concat([Buffer.from("dlv_01.1800000000."), Buffer.from(BODY)]));
  return `v1,${mac.digest("base64")}`;
}

test("secrets before it sign beside the newest until their time is over, and are not told either", async () => {
  const [one, two, three] = [1, 2, 3].map(() => newWebhookSecret(count => randomBytes(count)));
  const old = [
    { secret: one ?? "", untilMs: NOW_MS + 1 },
    { secret: two ?? "", untilMs: NOW_MS },
    { secret: three ?? "", untilMs: NOW_MS + 86_400_000 },
  ];
  const text = `I know ${one}, ${three} and ${secret}`;
  const answer = `HTTP/1.1 403 No\ncontent-length: ${Buffer.byteLength(text)}\n\n${text}`;
  const { url, got } = await receiver(says(answer));
  const { problem } = await send(url, ["127.0.0.1"], rowFor(url, old));
  const signature = /webhook-signature: (.*)\r\n/.exec(got[0]?.head ?? "")?.[1];
  expect(signature?.split(" ")).toEqual([secret, one, three].map(known => signatureWith(known ?? "")));
  expect(problem).toContain("I know …, … and …");
});

test.each([
  [
    500,
    "HTTP/1.1 500 Oops\ncontent-length: 4\n\nbusy",
    "The receiver fails (500, and says: busy): look at its log.",
  ],
  [
    401,
    "HTTP/1.1 401 No\ncontent-length: 0\n\n",
    "The receiver does not let this in (401): correct the address",
  ],
  [
    404,
    "HTTP/1.1 404 No\ncontent-length: 6\n\n<html>",
    "The receiver takes nothing at this address (404): correct",
  ],
  [429, "HTTP/1.1 429 Slow\ncontent-length: 0\n\n", "The receiver is asked too much (429)"],
  [400, "HTTP/1.1 400 Bad\ncontent-length: 3\n\nno!", "The receiver refuses this (400, and says: no!)."],
  [
    302,
    "HTTP/1.1 302 Found\nlocation: http://127.0.0.1:1/elsewhere\ncontent-length: 0\n\n",
    "The receiver redirects to http://127.0.0.1:1/elsewhere (302), and redirects are not followed",
  ],
])("a receiver that answers %d is told of in a sentence", async (status, answer, problem) => {
  const { url, got } = await receiver(says(answer));
  const outcome = await send(url);
  expect(outcome).toMatchObject({ ok: false, status, isFinal: false });
  expect(outcome.problem).toStartWith(problem);
  expect(got).toHaveLength(1);
});

test("410 is final", async () => {
  const { url } = await receiver(says("HTTP/1.1 410 Gone\ncontent-length: 0\n\n"));
  expect(await send(url)).toMatchObject({ ok: false, status: 410, isFinal: true });
});

test.each([
  ["429 Slow\nretry-after: 90", 90_000],
  ["503 Away\nretry-after: 7200", 3_600_000],
  ["500 Bad\nretry-after: soon", null],
])("a receiver that asks for time with %j is left alone so long, an hour at most", async (head, restMs) => {
  const { url } = await receiver(says(`HTTP/1.1 ${head}\ncontent-length: 0\n\n`));
  expect(await send(url)).toMatchObject({ ok: false, isFinal: false, restMs });
});

test("a receiver that hangs is left after ten seconds, and one that answers slowly has answered", async () => {
  const hanging = await receiver(() => {});
  const slow = await receiver(says("HTTP/1.1 200 OK\ncontent-length: 100\n\nhalf"));
  const startedMs = performance.now();
  const [none, some] = await Promise.all([send(hanging.url), send(slow.url)]);
  expect(performance.now() - startedMs).toBeWithin(9_000, 15_000);
  expect(none).toMatchObject({ ok: false, status: null });
  expect(none.problem).toContain("does not answer within ten seconds");
  expect(some).toMatchObject({ ok: true, status: 200 });
}, 30_000);

test("an answer without end is read to a few kilobytes and left there", async () => {
  let written = 0;
  const closed = Promise.withResolvers<void>();
  const { url } = await receiver(socket => {
    socket.on("close", () => closed.resolve());
    socket.write(`HTTP/1.1 500 Flood\r\ncontent-length: ${2 ** 30}\r\n\r\n`);
    const piece = Buffer.alloc(65_536, "x");
    const pour = () => {
      while (written < 2 ** 30 && !socket.destroyed) {
        written += piece.length;
        if (!socket.write(piece)) {
          socket.once("drain", pour);
          return;
        }
      }
    };
    pour();
  });
  const outcome = await send(url);
  expect(outcome).toMatchObject({ ok: false, status: 500 });
  expect(outcome.problem?.length).toBeLessThan(400);
  await closed.promise;
  expect(written).toBeLessThan(32 * 2 ** 20);
});

test("what it says never has the signing secret in it, nor control characters", async () => {
  const text = `no \u001b[31m${secret}\u202e red`;
  const length = Buffer.byteLength(text);
  const { url } = await receiver(says(`HTTP/1.1 403 No\ncontent-length: ${length}\n\n${text}`));
  const { problem } = await send(url);
  expect(problem).not.toContain(secret);
  expect(problem).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(problem).toContain("red");
});

test.each([
  ["HTTP is not spoken", says("220 mail ESMTP\n"), "does not speak HTTP/1.1"],
  ["the connection is cut", (socket: Socket) => void socket.destroy(), "does not answer as it should"],
])("where %s, that is said", async (_, answer, problem) => {
  const { url } = await receiver(answer);
  const outcome = await send(url);
  expect(outcome).toMatchObject({ ok: false, status: null });
  expect(outcome.problem).toContain(problem);
});

test("nothing listens there", async () => {
  const { url } = await receiver(() => {});
  servers.at(-1)?.close();
  expect((await send(url)).problem).toStartWith("Nothing listens at 127.0.0.1:");
});

describe("an address", () => {
  test.each([
    ["https://example.org/in", null],
    ["https://example.org:8443/in?token=x", null],
    ["http://example.org/in", "must begin with https://"],
    ["ftp://example.org/in", "Enter a whole address"],
    ["example.org", "Enter a whole address"],
    ["https://", "Enter a whole address"],
    ["https://ann:pw@example.org/", "no user name and password"],
    ["https://example.org/#x", "Leave out the part from"],
    ["https://127.0.0.1/in", "private address"],
    ["https://2130706433/in", "private address"],
    ["https://0x7f.1/in", "private address"],
    ["https://[::1]/in", "private address"],
    ["https://[::ffff:127.0.0.1]/in", "cannot be used"],
    ["https://10.1.2.3/in", "private address"],
    ["https://localhost/in", "private address"],
    ["https://169.254.169.254/latest", "link-local"],
    ["https://metadata.google.internal/", "metadata"],
    [`https://example.org/${"x".repeat(2_048)}`, "at most 2048 characters"],
  ])("%s: %p", (url, problem) => {
    const found = webhookAddressProblem(url, []);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });

  test.each([
    ["http://127.0.0.1:8080/in", ["127.0.0.1"]],
    ["http://localhost:8080/in", ["127.0.0.0/8"]],
    ["http://localhost:8080/in", ["localhost"]],
    ["http://hooks.internal/in", [".internal"]],
    ["https://10.1.2.3/in", ["10.0.0.0/8"]],
  ])("%s may be used where %p is allowed", (url, allowed) => {
    expect(webhookAddressProblem(url, allowed)).toBeNull();
    expect(webhookAddressProblem(url.replace("https:", "http:"), ["other.example"])).not.toBeNull();
  });

  test("that was allowed when the webhook was made is refused when it is so no longer", async () => {
    const { url, got } = await receiver(says(OK));
    const outcome = await send(url, []);
    expect(outcome).toMatchObject({ ok: false, status: null });
    expect(outcome.problem).toContain("https://");
    expect(got).toEqual([]);
  });

  test("a name that leads to a private address is refused when it is connected to", async () => {
    const way = outbound({
      ...{ idleConnectionsMax: 4, idleConnectionMsMax: 1_000, receiveWindowBytes: 65_536 },
      ...{ privateUpstreams: [], httpsProxy: null, noProxy: [], lookUp: async () => ["127.0.0.1"] },
    });
    pools.push(way);
    const bring = webhookBring({
      outbound: way,
      privateHosts: [],
      secrets: { seal: key },
      nowMs: () => NOW_MS,
    });
    const outcome = await bring(rowFor("https://rebinding.example/in"));
    expect(outcome.ok).toBe(false);
    expect(outcome.problem).toContain("private address");
  });
});
