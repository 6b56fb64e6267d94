import { describe, expect, test } from "bun:test";
import { keyHash } from "../domain/key-hash.ts";
import { deriveKeyString } from "../domain/key-string.ts";
import { authenticate } from "./authenticate.ts";

const lookup = new Uint8Array(32).fill(1);
const key = deriveKeyString(new Uint8Array(64).fill(11));
const other = deriveKeyString(new Uint8Array(64).fill(12));
const CUSTOM = "house_key-0123456789-abcdefghij";
const PROVIDER = `sk-ant-api03-${"aB3".repeat(31)}`;

const presented = (headers: Record<string, string>) => authenticate(new Headers(headers), lookup);

/** However it is wrapped, what was found. */
function hashes(headers: Record<string, string>): readonly string[] {
  const found = presented(headers);
  if ("refusal" in found) return [];
  return "hash" in found ? [found.hash] : found.hashes;
}

function refused(headers: Record<string, string>) {
  const found = presented(headers);
  return "refusal" in found ? found.refusal : null;
}

describe("a key is found", () => {
  test.each([
    ["authorization", `Bearer ${key}`],
    ["authorization", `bearer ${key}`],
    ["authorization", `BEARER ${key}`],
    ["authorization", `Bearer   ${key}`],
    ["authorization", key],
    ["Authorization", `Bearer ${key}`],
    ["x-api-key", key],
    ["X-Api-Key", ` ${key} `],
    ["x-goog-api-key", key],
  ])("in %s: %s", (name, value) => expect(hashes({ [name]: value })).toEqual([keyHash(lookup, key)]));

  test.each([
    ["authorization", `Bearer ${CUSTOM}`],
    ["authorization", `bearer ${CUSTOM}`],
    ["authorization", CUSTOM],
    ["x-api-key", CUSTOM],
    ["x-goog-api-key", CUSTOM],
  ])("of the operator's own making, in %s: %s", (name, value) =>
    expect(hashes({ [name]: value })).toEqual([keyHash(lookup, CUSTOM)]),
  );

  test("by its hash under this installation's secret, and never as it stands", () => {
    const found = presented({ authorization: `Bearer ${key}` });
    expect(JSON.stringify(found)).not.toContain(key.slice(4, 20));
    const elsewhere = authenticate(new Headers({ "x-api-key": key }), new Uint8Array(32).fill(2));
    expect(elsewhere).not.toEqual(presented({ "x-api-key": key }));
  });
});

describe("of several headers", () => {
  test("with one key, that one counts, once", () => {
    const same = { authorization: `Bearer ${key}`, "x-api-key": key, "x-goog-api-key": key };
    expect(hashes(same)).toEqual([keyHash(lookup, key)]);
  });

  test("with two keys, both are to be looked up, in the order of the headers", () => {
    const [first, second] = [keyHash(lookup, key), keyHash(lookup, other)];
    expect(hashes({ authorization: `Bearer ${key}`, "x-api-key": other })).toEqual([first, second]);
    expect(hashes({ authorization: `Bearer ${other}`, "x-api-key": key })).toEqual([second, first]);
    expect(hashes({ "x-goog-api-key": key, "x-api-key": other })).toEqual([second, first]);
    expect(hashes({ authorization: `Bearer ${CUSTOM}`, "x-api-key": key })).toEqual([
      keyHash(lookup, CUSTOM),
      first,
    ]);
  });

  test.each([PROVIDER, "dummy", "", "wgk_short", "undefined", "Bearer"])(
    "a key counts and %j beside it does not",
    junk => {
      const found = [keyHash(lookup, key)];
      expect(hashes({ authorization: `Bearer ${junk}`, "x-api-key": key })).toEqual(found);
      expect(hashes({ authorization: `Bearer ${key}`, "x-api-key": junk })).toEqual(found);
      expect(hashes({ authorization: `Bearer ${key}`, "x-goog-api-key": junk })).toEqual(found);
    },
  );

  test("without a key, what comes nearest to one is told", () => {
    const near = { authorization: `Bearer ${PROVIDER}`, "x-api-key": key.slice(0, -1) };
    expect(refused(near)?.reason).toBe("key_malformed");
    const beside = { authorization: "Bearer", "x-api-key": PROVIDER };
    expect(refused(beside)?.reason).toBe("key_is_provider_key");
  });
});

describe("without a key of ours it is refused:", () => {
  test.each([
    [{}],
    [{ authorization: "" }],
    [{ authorization: "Bearer" }],
    [{ authorization: "bearer " }],
    [{ "x-api-key": " " }],
  ])("%j carries none", headers =>
    expect(refused(headers as Record<string, string>)).toEqual({ reason: "key_missing", params: {} }),
  );

  test.each([
    [`Bearer Bearer ${key}`, "Bearer in it once too often"],
    [`Bearer bearer ${key}`, "Bearer in it once too often"],
    [`Bearer "${key}"`, "quotation marks"],
    [`Bearer ${key.slice(0, -3)}`, "it has 50 characters"],
    [`Bearer ${key}, Bearer ${key}`, "comma"],
    [`Basic ${key}`, ""],
    ["Bearer $WICKETGATE_KEY", "variable"],
    ["Bearer short", "it has 5 characters"],
  ])("%s is not whole", (authorization, problem) => {
    const found = refused({ authorization });
    expect(found?.reason).toBe("key_malformed");
    expect(found?.params["problem"]).toContain(problem);
    expect(JSON.stringify(found)).not.toContain(key.slice(4, 20));
  });

  test("a provider's key is told by the provider's name, and not repeated", () => {
    for (const headers of [{ authorization: `Bearer ${PROVIDER}` }, { "x-api-key": PROVIDER }]) {
      const found = refused(headers as Record<string, string>);
      expect(found).toMatchObject({ reason: "key_is_provider_key", params: { provider: "Anthropic" } });
      expect(JSON.stringify(found)).not.toContain(PROVIDER.slice(-12));
    }
  });
});
