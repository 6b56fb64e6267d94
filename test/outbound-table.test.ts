import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { checkUpstreamAddress } from "../src/console/apply-address.ts";
import { UpstreamFailure } from "../src/upstream/answer.ts";
import { outbound } from "../src/upstream/http1.ts";
import type { LookUp } from "../src/upstream/http1-addresses.ts";

/**
 * Every way that is known to write an address so that a filter does not see where it leads. A canary listens on every
 * address of this machine; an address goes through what `apply` checks and then through the one module that connects.
 */

const own = Object.values(networkInterfaces()).flatMap(list => list ?? []);
const hasIpv6 = own.some(({ address }) => address === "::1");

let canary: Server;
let port: number;
let hits = 0;
beforeAll(async () => {
  canary = createServer(socket => {
    hits += 1;
    socket.on("error", () => undefined);
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok");
  });
  await new Promise<void>(resolve => canary.listen(0, hasIpv6 ? "::" : "0.0.0.0", resolve));
  const address = canary.address();
  port = address !== null && typeof address === "object" ? address.port : 0;
});
afterAll(() => canary.close());

const LIMITS = { connectMsMax: 2_000, firstByteMsMax: 2_000, idleMsMax: 2_000, headerBytesMax: 16_384 };

/** What becomes of a base address: it is not taken at all, it is not connected to, or it is answered. */
async function fate(text: string, options: { lookUp?: LookUp; allowed?: string[] } = {}): Promise<string> {
  const checked = checkUpstreamAddress(text.replace("{port}", String(port)));
  if ("problem" in checked) return `apply: ${checked.problem}`;
  const client = outbound({
    idleConnectionsMax: 0,
    idleConnectionMsMax: 1_000,
    receiveWindowBytes: 32_768,
    privateUpstreams: options.allowed ?? [],
    httpsProxy: null,
    noProxy: [],
    ...(options.lookUp === undefined ? {} : { lookUp: options.lookUp }),
  });
  try {
    const url = new URL(`${checked.address}/chat/completions`);
    const { answer } = client.send({ method: "GET", url, headers: {}, body: null }, LIMITS);
    return `answered: ${(await answer).status}`;
  } catch (error) {
    return error instanceof UpstreamFailure ? `${error.kind}: ${error.detail}` : String(error);
  } finally {
    client.close();
  }
}

const REFUSED = /^(?:apply: must |connect: .*(?: is refused|metadata|cannot be resolved))/;

const WRITTEN: Record<string, readonly string[]> = {
  "this machine, in odd numbers": [
    "http://2130706433:{port}",
    "http://0x7f000001:{port}",
    "http://0X7F.0.0.1:{port}",
    "http://0x7f.1:{port}",
    "http://017700000001:{port}",
    "http://0177.0.0.1:{port}",
    "http://0177.0.0x0.1:{port}",
    "http://127.1:{port}",
    "http://127.0.1:{port}",
    "http://127.000.000.001:{port}",
    "http://127.0.0.1.:{port}",
    "http://127.0.0.2.:{port}",
  ],
  "this machine, in odd letters": [
    "http://１２７.０.０.１:{port}",
    "http://①②⑦.⓪.⓪.①:{port}",
    "http://127。0。0。1:{port}",
    "http://%31%32%37.0.0.1:{port}",
    "http://127%2e0%2e0%2e1:{port}",
    "http://ｌｏｃａｌｈｏｓｔ:{port}",
    "http://loc%61lhost:{port}",
    "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:{port}",
    "http://localhost.:{port}",
    "http://local\u00adhost:{port}",
  ],
  "this machine, behind odd marks": [
    "http:127.0.0.1:{port}",
    "http:/127.0.0.1:{port}",
    "http:///127.0.0.1:{port}",
    "http:\\\\127.0.0.1:{port}",
    "http://api.example.org@127.0.0.1:{port}",
    "http://api.example.org:x@127.0.0.1:{port}/v1",
    "http://@127.0.0.1:{port}",
    "http://127.0.0.1:{port}#@api.example.org",
    "http://127.0.0.1:{port}?api.example.org",
    "http://127.0.0.1:{port}\\@api.example.org",
    "http://127.0.0\t.1:{port}",
    " http://127.0.0.1:{port}",
  ],
  "this machine, inside of IPv6": [
    "http://[::ffff:127.0.0.1]:{port}",
    "http://[::ffff:7f00:1]:{port}",
    "http://[::FFFF:127.0.0.1]:{port}",
    "http://[0:0:0:0:0:ffff:7f00:1]:{port}",
    "http://[0:0:0:0:0:0:0:1]:{port}",
    "http://[::0001]:{port}",
    "http://[::127.0.0.1]:{port}",
    "http://[::ffff:0:127.0.0.1]:{port}",
    "http://[64:ff9b::127.0.0.1]:{port}",
    "http://[64:ff9b:1::7f00:1]:{port}",
    "http://[2002:7f00:1::1]:{port}",
    "http://[2001:0:7f00:1::80ff:fffe]:{port}",
    "http://[::1%25lo]:{port}",
    "http://[::1%lo]:{port}",
  ],
  "no machine in particular": [
    "http://0.0.0.0:{port}",
    "http://0:{port}",
    "http://0x0:{port}",
    "http://0.1:{port}",
    "http://[::]:{port}",
    "http://[::ffff:0.0.0.0]:{port}",
    "http://255.255.255.255:{port}",
    "http://224.0.0.1:{port}",
    "http://[ff02::1]:{port}",
    "http://240.0.0.1:{port}",
  ],
  "link-local and metadata": [
    "http://169.254.169.254",
    "http://169.254.169.254:{port}",
    "http://169.254.170.2/v2",
    "https://169.254.1.1",
    "http://2852039166",
    "http://0xa9fea9fe",
    "http://0251.0376.0251.0376",
    "http://169.254.43518",
    "http://[::ffff:169.254.169.254]",
    "http://[::ffff:a9fe:a9fe]",
    "http://[64:ff9b::a9fe:a9fe]",
    "http://[2002:a9fe:a9fe::1]",
    "http://[fe80::1]",
    "http://[fe80::a9fe:a9fe]:{port}",
    "http://[fd00:ec2::254]",
    "http://[fd20:ce::254]",
    "http://100.100.100.200",
    "http://168.63.129.16",
    "http://192.0.0.192",
    "http://metadata.google.internal/computeMetadata/v1",
    "http://METADATA.google.internal.",
    "http://metadata.goog",
  ],
};

for (const [what, addresses] of Object.entries(WRITTEN)) {
  describe(`${what} is not reached:`, () => {
    test.each(addresses)("%j", async address => {
      expect(await fate(address)).toMatch(REFUSED);
      expect(hits).toBe(0);
    });
  });
}

describe("a harmless name is not a way to", () => {
  const LED_TO = [
    ...own.map(({ address }) => address),
    ..."127.0.0.1 127.9.9.9 ::1 ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::7f00:1 2002:7f00:1:: 0.0.0.0 ::".split(
      " ",
    ),
    ..."10.0.0.1 172.16.0.1 192.168.0.1 100.64.0.1 198.18.0.1 192.0.2.1 fc00::1 fd00::2 fe80::1%eth0".split(
      " ",
    ),
    ..."169.254.169.254 fd00:ec2::254 100.100.100.200 224.0.0.1 255.255.255.255 ff02::1 2001:db8::1".split(
      " ",
    ),
  ];
  test.each([...new Set(LED_TO)])("%s", async address => {
    expect(await fate("http://api.example.org:{port}", { lookUp: async () => [address] })).toMatch(REFUSED);
    expect(await fate("https://api.example.org:{port}", { lookUp: async () => [address] })).toMatch(REFUSED);
    expect(hits).toBe(0);
  });

  test("another address than the one that was checked", async () => {
    // Allowed when it is asked for first, this machine from then on: the port answers on neither but the latter.
    const answers = [["127.9.9.9"], ["127.0.0.1"], ["127.0.0.1"]];
    let asked = 0;
    const lookUp = async () => answers[asked++] ?? [];
    await fate("http://api.example.org:1", { lookUp, allowed: ["127.9.9.9"] });
    expect(asked).toBe(1);
    expect(await fate("http://api.example.org:{port}", { lookUp, allowed: ["127.9.9.9"] })).toMatch(REFUSED);
    expect(hits).toBe(0);
  });
});

test("a redirect leads nowhere", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of [
      `http://127.0.0.1:${port}/`,
      `//localhost:${port}/`,
      "http://169.254.169.254/",
      "/other",
    ]) {
      const asked: string[] = [];
      const redirecting = createServer(socket => {
        socket.on("error", () => undefined);
        socket.on("data", data => {
          asked.push(data.toString("latin1"));
          socket.write(`HTTP/1.1 ${status} Moved\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`);
        });
      });
      await new Promise<void>(resolve => redirecting.listen(0, "127.0.0.1", resolve));
      const address = redirecting.address();
      const from = address !== null && typeof address === "object" ? address.port : 0;
      expect(await fate(`http://127.0.0.1:${from}`)).toBe(`answered: ${status}`);
      expect(asked).toHaveLength(1);
      redirecting.close();
    }
  }
  expect(hits).toBe(0);
});

test("there are more than forty forms", () => {
  expect(new Set(Object.values(WRITTEN).flat()).size).toBeGreaterThan(40);
});

// Last, because it counts: had any of the above connected, the canary would have sung.
test("what the operator wrote plainly, or listed, is reached", async () => {
  const plain = [
    "http://127.0.0.1:{port}",
    "http://localhost:{port}/v1/",
    "HTTP://LocalHost:{port}",
    "http://127.0.0.2:{port}",
  ];
  if (hasIpv6) plain.push("http://[::1]:{port}");
  for (const address of plain) expect(await fate(address)).toBe("answered: 200");
  const lookUp = async () => ["127.0.0.1"];
  const address = "http://api.example.org:{port}";
  expect(await fate(address, { lookUp, allowed: ["api.example.org"] })).toBe("answered: 200");
  expect(await fate(address, { lookUp, allowed: ["127.0.0.0/8"] })).toBe("answered: 200");
  expect(hits).toBe(plain.length + 2);
});
