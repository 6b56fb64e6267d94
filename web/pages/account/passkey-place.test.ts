import { expect, test } from "bun:test";
import { nameAddress, passkeyPlace } from "./passkey-place.ts";

test.each([
  ["gate.example.org", true, "good"],
  ["localhost", true, "good"],
  ["gate.example.org", false, "unable"],
  ["192.0.2.7", true, "address"],
  ["127.0.0.1", true, "address"],
  ["[::1]", true, "address"],
] as const)("at %s, able %p: %s", (hostname, isAble, place) => {
  expect(passkeyPlace({ hostname, isAble })).toBe(place);
});

test("this machine is offered by its name, others are not", () => {
  expect(nameAddress("http://127.0.0.1:4000/console/account?tab=security")).toBe(
    "http://localhost:4000/console/account?tab=security",
  );
  expect(nameAddress("http://[::1]:4000/console/")).toBe("http://localhost:4000/console/");
  expect(nameAddress("https://192.0.2.7/console/")).toBeNull();
});
