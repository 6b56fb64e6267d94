import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { clientAddress } from "./client-address.ts";

const TRUSTED = ["10.0.0.0/8", "192.0.2.7", "fd00::/8", "2001:db8::1"];

function address(peer: string, forwarded: string | null, trusted: readonly string[] = TRUSTED): string {
  const headers = forwarded === null ? {} : { "x-forwarded-for": forwarded };
  return clientAddress(new Request("http://gate.example.org/", { headers }), peer, trusted);
}

describe("nobody's word is taken", () => {
  test("where no proxy is trusted", () => {
    expect(address("10.0.0.1", "203.0.113.9", [])).toBe("10.0.0.1");
    expect(address("127.0.0.1", "203.0.113.9", [])).toBe("127.0.0.1");
  });

  test.each([
    "203.0.113.5",
    "11.0.0.1",
    "192.0.2.8",
    "2001:db8::2",
    "fe80::1",
    "::1",
    "",
    "::ffff:203.0.113.5",
  ])("from %j, which is no proxy of ours", peer => expect(address(peer, "203.0.113.9")).toBe(peer));
});

describe("a trusted proxy says who called", () => {
  test.each(["10.0.0.1", "10.255.255.255", "192.0.2.7", "fd12::3", "2001:db8::1"])("from %s", peer =>
    expect(address(peer, "203.0.113.9")).toBe("203.0.113.9"),
  );

  test.each(["::ffff:10.0.0.1", "::FFFF:10.0.0.1", "::ffff:a00:1", "0:0:0:0:0:ffff:10.0.0.1"])(
    "from %s, which is 10.0.0.1",
    peer => expect(address(peer, "203.0.113.9")).toBe("203.0.113.9"),
  );

  test.each(["2001:db8::99", "::1", "fe80::1"])("with IPv6: %s", caller =>
    expect(address("10.0.0.1", caller)).toBe(caller),
  );

  test("without a word of it, the proxy is who called", () => {
    expect(address("10.0.0.1", null)).toBe("10.0.0.1");
    expect(address("10.0.0.1", "")).toBe("10.0.0.1");
    expect(address("10.0.0.1", " , ")).toBe("10.0.0.1");
  });
});

describe("of a chain, the nearest that is no proxy of ours counts:", () => {
  test.each([
    ["what a client made up stands left of it", "1.2.3.4, 203.0.113.9", "203.0.113.9"],
    ["a client that pretends to be a proxy", "10.0.0.9, 203.0.113.9", "203.0.113.9"],
    ["two proxies of ours", "203.0.113.9, 10.0.0.2", "203.0.113.9"],
    ["two proxies and a lie", "1.2.3.4, 203.0.113.9,10.0.0.3 , 10.0.0.2", "203.0.113.9"],
    ["a proxy of ours as IPv6", "203.0.113.9, ::ffff:10.0.0.2, fd00::1", "203.0.113.9"],
    ["only proxies of ours", "10.0.0.3, 10.0.0.2", "10.0.0.1"],
  ])("%s", (_, forwarded, expected) => expect(address("10.0.0.1", forwarded)).toBe(expected));

  test.each([
    "unknown",
    "_hidden",
    "203.0.113.9:4711",
    "[2001:db8::99]",
    "999.1.1.1",
    "<script>",
    "203.0.113",
  ])("%j is no address, and nothing left of it is believed", odd => {
    expect(address("10.0.0.1", odd)).toBe("10.0.0.1");
    expect(address("10.0.0.1", `1.2.3.4, ${odd}`)).toBe("10.0.0.1");
  });
});

test("whatever the header says, the answer is an address and never throws", () => {
  const parts = fc.constantFrom(
    "1.2.3.4",
    "10.0.0.1",
    "::1",
    "fe80::1%eth0",
    "::ffff:1.2.3.4",
    "x",
    "",
    "::",
    "fd00::1",
  );
  fc.assert(
    fc.property(fc.array(parts), fc.string(), (chain, junk) => {
      const printable = junk.replace(/[^\x20-\x7e]/g, "?");
      for (const forwarded of [chain.join(", "), `${chain.join(",")},${printable}`]) {
        expect(address("10.0.0.1", forwarded)).toMatch(/^[0-9a-f.:]+(%eth0)?$/i);
      }
    }),
  );
});
