import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import {
  applyYaml,
  eventually,
  freshDir,
  type Gateway,
  removeDir,
  startGateway,
  usageRows,
  verifyClean,
} from "./harness.ts";
import { rawConnection } from "./harness-client.ts";
import { makeKey, rigYaml } from "./harness-rig.ts";
import {
  BOUNDARY,
  chunk,
  END,
  form,
  part,
  type UploadUpstream,
  uploadHead,
  uploadUpstream,
} from "./harness-upload.ts";

/** A file on its way through: never kept whole, never faster than the upstream takes it, never after its refusal. */

const MIB = 1_024 * 1_024;
const BODY_MIB = 300;
const dir = freshDir();
let upstream: UploadUpstream;
let gateway: Gateway;
let key: string;
let keyId: string;

beforeAll(async () => {
  upstream = await uploadUpstream({ keeps: false });
  await applyYaml(dir, rigYaml(upstream.baseUrl));
  gateway = await startGateway(dir, { WICKETGATE_DEMO: "off", WICKETGATE_BODY_MIB: String(BODY_MIB) });
  ({ key, id: keyId } = await makeKey(dir, []));
});
afterAll(async () => {
  try {
    await verifyClean(dir);
  } finally {
    await upstream.close();
    await gateway.stop();
    removeDir(dir);
  }
});

const MODEL = part({ name: "model", value: "call" });
const FILE_HEAD = Buffer.from(
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n`,
);
const FILE_END = Buffer.concat([Buffer.from("\r\n"), END]);
const formLength = (fileBytes: number) => MODEL.length + FILE_HEAD.length + fileBytes + FILE_END.length;

function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1_024;
}

type Client = { socket: Socket; answer: () => string; sent: () => number };

async function begin(head: string): Promise<Client> {
  const socket = await rawConnection(gateway.url, head);
  socket.on("error", () => {});
  let text = "";
  socket.on("data", piece => {
    text += piece.toString("latin1");
  });
  return { socket, answer: () => text, sent: () => socket.bytesWritten };
}

/** As fast as it is taken; ends when the socket is gone. */
async function pour(socket: Socket, count: number, block: Uint8Array): Promise<void> {
  for (let at = 0; at < count && !socket.destroyed; at++) {
    if (socket.write(block)) continue;
    await new Promise<void>(resolve => {
      const goOn = () => {
        socket.off("drain", goOn).off("close", goOn);
        resolve();
      };
      socket.on("drain", goOn).on("close", goOn);
    });
  }
}

async function next(): Promise<UploadUpstream["inbound"][number]> {
  const count = upstream.inbound.length;
  const found = await eventually(() => upstream.inbound[count] ?? null);
  if (found === null) throw new Error("the upstream was not asked");
  return found;
}

describe("a file", () => {
  const onLinux = test.skipIf(process.platform !== "linux");
  onLinux("of 200 MiB passes while it comes, and the gateway does not grow by it", async () => {
    const blocks = 200;
    const length = formLength(blocks * MIB);
    const beginning = next();
    const client = await begin(uploadHead(gateway.url, key, length));
    client.socket.write(Buffer.concat([MODEL, FILE_HEAD, Buffer.alloc(1_000)]));
    const inbound = await beginning;
    expect(await eventually(() => inbound.bytes >= MODEL.length + FILE_HEAD.length + 1_000)).toBe(true);
    expect(inbound.head).toContain(`content-length: ${length}`);
    expect(inbound.head).toContain(`content-type: multipart/form-data; boundary=${BOUNDARY}`);

    const beforeMib = residentMib(gateway.pid);
    let mostMib = 0;
    const watch = setInterval(() => {
      mostMib = Math.max(mostMib, residentMib(gateway.pid));
    }, 20);
    const block = Buffer.alloc(MIB, 1);
    await pour(client.socket, blocks - 1, block);
    client.socket.write(block.subarray(1_000));
    client.socket.write(FILE_END);
    expect(await eventually(() => inbound.bytes === length, 30_000)).toBe(true);
    clearInterval(watch);
    expect(mostMib - beforeMib).toBeLessThan(64);
    inbound.reply(200, '{"text":"hello"}');
    expect(await eventually(() => client.answer().endsWith('{"text":"hello"}'))).toBe(true);
    client.socket.destroy();
  });

  onLinux("that the upstream does not take is not taken from the client either", async () => {
    upstream.onBegin(inbound => inbound.pause());
    const beginning = next();
    const client = await begin(uploadHead(gateway.url, key, formLength(100 * MIB)));
    client.socket.write(Buffer.concat([MODEL, FILE_HEAD]));
    const inbound = await beginning;
    const beforeMib = residentMib(gateway.pid);
    const pouring = pour(client.socket, 100, Buffer.alloc(MIB));
    await Bun.sleep(1_500);
    const taken = client.sent() - client.socket.writableLength;
    await Bun.sleep(500);
    expect(client.sent() - client.socket.writableLength).toBe(taken);
    expect(taken).toBeLessThan(40 * MIB);
    expect(residentMib(gateway.pid) - beforeMib).toBeLessThan(32);
    upstream.onBegin(() => {});
    inbound.resume();
    await pouring;
    client.socket.write(FILE_END);
    expect(await eventually(() => inbound.bytes === formLength(100 * MIB), 30_000)).toBe(true);
    inbound.reply(200, '{"text":"slow"}');
    expect(await eventually(() => client.answer().endsWith('{"text":"slow"}'))).toBe(true);
    client.socket.destroy();
  });

  test("that is refused before it is whole stops, and the client hears why", async () => {
    upstream.onBegin(inbound => inbound.reply(400, '{"error":{"message":"no such voice"}}'));
    const beginning = next();
    const client = await begin(uploadHead(gateway.url, key, formLength(100 * MIB)));
    client.socket.write(Buffer.concat([MODEL, FILE_HEAD]));
    const inbound = await beginning;
    expect(await eventually(() => client.answer().includes("no such voice"))).toBe(true);
    expect(client.answer()).toStartWith("HTTP/1.1 400");
    upstream.onBegin(() => {});
    expect(await eventually(() => inbound.isClosed)).toBe(true);
    client.socket.destroy();
    expect((await newestRow()).state).toBe("voided");
  });

  test("[P47] of a client that leaves in the middle is left by the gateway, too", async () => {
    const beginning = next();
    const client = await begin(uploadHead(gateway.url, key, formLength(100 * MIB)));
    client.socket.write(Buffer.concat([MODEL, FILE_HEAD, Buffer.alloc(MIB)]));
    const inbound = await beginning;
    await Bun.sleep(100);
    client.socket.destroy();
    expect(await eventually(() => inbound.isClosed, 3_000)).toBe(true);
    const row = await newestRow();
    expect([row.state, row.reason, row.cost]).toEqual(["voided", "client_left", "0.00"]);
  });

  test("in chunks goes on in chunks", async () => {
    const beginning = next();
    const client = await begin(uploadHead(gateway.url, key, null));
    client.socket.write(chunk(Buffer.concat([MODEL, FILE_HEAD])));
    const inbound = await beginning;
    expect(inbound.head).toContain("transfer-encoding: chunked");
    expect(inbound.head).not.toContain("content-length");
    client.socket.write(Buffer.concat([chunk(Buffer.alloc(10)), chunk(FILE_END), Buffer.from("0\r\n\r\n")]));
    expect(await eventually(() => inbound.bytes > formLength(10))).toBe(true);
    inbound.reply(200, '{"text":"chunks"}');
    expect(await eventually(() => client.answer().includes('{"text":"chunks"}'))).toBe(true);
    client.socket.destroy();
  });

  test("that grows beyond the limit on its way is refused, and its upstream left", async () => {
    const beginning = next();
    const client = await begin(uploadHead(gateway.url, key, null));
    client.socket.write(chunk(Buffer.concat([MODEL, FILE_HEAD])));
    const inbound = await beginning;
    await pour(client.socket, BODY_MIB + 1, chunk(Buffer.alloc(MIB)));
    expect(await eventually(() => client.answer() !== "", 20_000)).toBe(true);
    expect(client.answer()).toStartWith("HTTP/1.1 413");
    expect(client.answer()).toContain("body_too_large");
    expect(await eventually(() => inbound.isClosed)).toBe(true);
    client.socket.destroy();
    expect(await newestRow()).toMatchObject({ state: "voided", reason: "body_too_large" });
  });
});

describe("a second model", () => {
  test("behind the file is found, and what is priced as the first is never served as the second", async () => {
    const beginning = next();
    const second = part({ name: "model", value: "dear" });
    const head = Buffer.concat([MODEL, FILE_HEAD, Buffer.alloc(1_000)]);
    const tail = Buffer.concat([Buffer.from("\r\n"), second, END]);
    const client = await begin(uploadHead(gateway.url, key, head.length + tail.length));
    client.socket.write(head);
    const inbound = await beginning;
    client.socket.write(tail);
    expect(await eventually(() => client.answer().includes("is given twice"))).toBe(true);
    expect(client.answer()).toStartWith("HTTP/1.1 400");
    expect(await eventually(() => inbound.isClosed)).toBe(true);
    expect(inbound.bytes).toBeLessThan(head.length + tail.length);
    client.socket.destroy();
  });
});

describe("a refusal", () => {
  test("comes while the file is still on its way, and no upstream sees it", async () => {
    const { key: poor } = await makeKey(dir, ["--quota", "0.001", "--name", "poor"]);
    const asked = upstream.inbound.length;
    const client = await begin(uploadHead(gateway.url, poor, formLength(100 * MIB)));
    client.socket.write(Buffer.concat([MODEL, FILE_HEAD, Buffer.alloc(MIB)]));
    expect(await eventually(() => client.answer().includes("key_quota_exhausted"))).toBe(true);
    expect(client.answer()).toStartWith("HTTP/1.1 402");
    expect(upstream.inbound.length).toBe(asked);
    client.socket.destroy();
  });
});

describe("many files at once", () => {
  test("spend a quota to the last call, and never beyond", async () => {
    upstream.onBegin(inbound => inbound.reply(200, '{"text":"x"}'));
    const { key: mine, id } = await makeKey(dir, ["--quota", "0.07", "--name", "seven"]);
    const body = form({ name: "model", value: "call" }, { name: "file", value: "sound", file: "a.wav" });
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const answer = await fetch(`${gateway.base}/audio/transcriptions`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${mine}`,
            "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
          },
          body,
        });
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    upstream.onBegin(() => {});
    expect(statuses.filter(status => status === 200)).toHaveLength(7);
    expect(statuses.filter(status => status === 402)).toHaveLength(43);
    const rows = await eventually(async () => {
      const found = (await usageRows(dir, id)).filter(row => row.state === "settled");
      return found.length === 7 ? found : null;
    });
    expect(rows?.map(row => row.cost)).toEqual(Array.from({ length: 7 }, () => "0.01"));
  });
});

async function newestRow() {
  const row = await eventually(async () => {
    const [newest] = await usageRows(dir, keyId);
    return newest !== undefined && newest.state !== "open" ? newest : null;
  });
  if (row === null) throw new Error("no row was resolved");
  return row;
}
