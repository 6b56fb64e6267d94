import { describe, expect, test } from "bun:test";
import { addressRules, type Reach, reachOf } from "./address-rules.ts";

describe("an address", () => {
  const REACH: Record<Reach, readonly string[]> = {
    public: [
      "1.1.1.1",
      "9.255.255.255",
      "11.0.0.0",
      "100.63.255.255",
      "100.128.0.0",
      "126.255.255.255",
      "128.0.0.1",
      "169.253.255.255",
      "169.255.0.0",
      "172.15.255.255",
      "172.32.0.0",
      "192.167.255.255",
      "192.169.0.0",
      "198.17.255.255",
      "198.20.0.0",
      "223.255.255.255",
      "2606:4700::1111",
      "2001:4860:4860::8888",
      "2a00::1",
      "3ffe:ffff::1",
      "::ffff:1.1.1.1",
      "64:ff9b::101:101",
    ],
    private: [
      "10.0.0.0",
      "10.255.255.255",
      "100.64.0.0",
      "100.127.255.255",
      "127.0.0.1",
      "127.255.255.254",
      "172.16.0.0",
      "172.31.255.255",
      "192.168.0.0",
      "192.168.255.255",
      "192.0.0.8",
      "192.0.2.1",
      "198.18.0.1",
      "198.19.255.255",
      "198.51.100.1",
      "203.0.113.255",
      "::1",
      "0:0:0:0:0:0:0:1",
      "fc00::1",
      "fdff:ffff::1",
      "2001:db8::1",
      "2001:2::1",
      "3fff::1",
    ],
    never: [
      "0.0.0.0",
      "0.255.255.255",
      "169.254.0.0",
      "169.254.169.254",
      "169.254.255.255",
      "100.100.100.200",
      "168.63.129.16",
      "192.0.0.192",
      "224.0.0.1",
      "239.255.255.255",
      "240.0.0.1",
      "255.255.255.255",
      "::",
      "::2",
      "::127.0.0.1",
      "::ffff:127.0.0.1",
      "::ffff:7f00:1",
      "::ffff:10.0.0.1",
      "::ffff:169.254.169.254",
      "::ffff:0:7f00:1",
      "64:ff9b::7f00:1",
      "64:ff9b::10.0.0.1",
      "64:ff9b::a9fe:a9fe",
      "64:ff9b:1::7f00:1",
      "100::1",
      "2001::1",
      "2001:0:7f00:1::",
      "2001:10::1",
      "2001:20::1",
      "2002:7f00:1::1",
      "2002:a9fe:a9fe::",
      "fd00:ec2::254",
      "fd20:ce::254",
      "fe80::1",
      "fe80::1%eth0",
      "febf::1",
      "fec0::1",
      "ff02::1",
      "4000::1",
      "not an address",
      "127.1",
      "2130706433",
      "",
    ],
  };
  for (const [reach, addresses] of Object.entries(REACH)) {
    test.each(addresses)(`%s is ${reach}`, address => expect<string>(reachOf(address)).toBe(reach));
  }
});

describe("a private address", () => {
  const problem = (allowed: string[], host: string, address: string) =>
    addressRules(allowed).addressProblem({ host, address, isMeant: false });

  test("is refused to a name, in a sentence that says what to set", () => {
    const found = problem([], "ollama.lan", "10.1.2.3");
    expect(found).toContain("ollama.lan at 10.1.2.3");
    expect(found).toContain("put ollama.lan into WICKETGATE_PRIVATE_UPSTREAMS");
  });

  test("is open to whoever wrote the address itself", () => {
    const own = { host: "10.1.2.3", address: "10.1.2.3", isMeant: true };
    expect(addressRules([]).addressProblem(own)).toBe(null);
  });

  for (const [allowed, host, address] of [
    ["ollama.lan", "ollama.lan", "10.1.2.3"],
    ["Ollama.LAN.", "ollama.lan", "10.1.2.3"],
    ["ollama.lan", "ollama.lan.", "10.1.2.3"],
    [".lan", "ollama.lan", "10.1.2.3"],
    [".lan", "a.b.lan", "fd00::7"],
    [".lan", "lan", "10.1.2.3"],
    ["10.1.0.0/16", "ollama.lan", "10.1.2.3"],
    ["10.1.2.3", "ollama.lan", "10.1.2.3"],
    ["fd00::/8", "ollama.lan", "fd00::7"],
    ["0.0.0.0/0", "ollama.lan", "127.0.0.1"],
  ] as const) {
    test(`is open to ${host} at ${address} where ${allowed} is listed`, () =>
      expect(problem([allowed], host, address)).toBe(null));
  }

  for (const [allowed, host, address] of [
    ["ollama.lan", "evil-ollama.lan", "10.1.2.3"],
    ["ollama.lan", "ollama.lan.evil.test", "10.1.2.3"],
    ["ollama.lan", "sub.ollama.lan", "10.1.2.3"],
    [".lan", "evillan", "10.1.2.3"],
    ["10.1.0.0/16", "ollama.lan", "10.2.0.0"],
    ["10.1.2.3", "ollama.lan", "10.1.2.4"],
    ["::/0", "ollama.lan", "10.1.2.3"],
    ["10.0.0.0/8", "ollama.lan", "::ffff:10.1.2.3"],
  ] as const) {
    test(`is not open to ${host} at ${address} because ${allowed} is listed`, () =>
      expect(problem([allowed], host, address)).not.toBe(null));
  }
});

describe("an address that no upstream may have", () => {
  test("is refused though it was written, though its name is listed, and though a range around it is", () => {
    const rules = addressRules(["meta.test", "169.254.0.0/16", "0.0.0.0/0", "::/0"]);
    for (const address of [
      "169.254.169.254",
      "fe80::1",
      "0.0.0.0",
      "::ffff:127.0.0.1",
      "64:ff9b::a9fe:a9fe",
    ]) {
      for (const host of [address, "meta.test"]) {
        expect(rules.addressProblem({ host, address, isMeant: true })).toContain("is refused");
      }
    }
  });

  test("is open where that very address is listed, and only it", () => {
    const rules = addressRules(["169.254.7.7"]);
    const at = (address: string) => rules.addressProblem({ host: address, address, isMeant: true });
    expect(at("169.254.7.7")).toBe(null);
    expect(at("169.254.7.8")).not.toBe(null);
  });
});

test("a name of a cloud's metadata is refused before anybody looks it up", () => {
  const rules = addressRules(["metadata.google.internal"]);
  for (const name of ["metadata.google.internal", "METADATA.Google.internal.", "metadata", "metadata.goog"]) {
    expect(rules.nameProblem(name)).toContain("metadata");
  }
  expect(rules.nameProblem("api.openai.com")).toBe(null);
});
