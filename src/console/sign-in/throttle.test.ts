import { expect, test } from "bun:test";
import { addressOwner, throttleOf } from "./throttle.ts";

test("an IPv6 address counts by its network of 64 bits, an IPv4 address by itself", () => {
  const cases: [address: string, owner: string][] = [
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::1", "2001:db8:1:2"],
    ["2001:db8::1", "2001:db8:0:0"],
    ["::1", "0:0:0:0"],
    ["", ""],
  ];
  for (const [address, owner] of cases) expect(addressOwner(address)).toBe(owner);
});

test("what was typed is not kept, and two rules or two people never share a count", () => {
  const one = throttleOf("sign-in pair", "ann@example.org", "192.0.2.7");
  expect(one.owner).not.toContain("ann");
  const owners = [
    one,
    throttleOf("sign-in pair", "ann@example.org192.0.2.7"),
    throttleOf("sign-in pair", "bob@example.org", "192.0.2.7"),
    throttleOf("sign-in e-mail", "ann@example.org", "192.0.2.7"),
  ].map(({ owner }) => owner);
  expect(new Set(owners).size).toBe(4);
  expect(throttleOf("sign-in pair", "ann@example.org", "192.0.2.7").owner).toBe(one.owner);
});
