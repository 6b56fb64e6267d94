import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Upstream } from "../domain/catalogue.ts";
import type { Price } from "../domain/model.ts";
import { readChatRequest } from "../protocols/openai-chat/read-request.ts";
import type { Admitted } from "../store/store.ts";
import { grantHeaders, outputLimit } from "./grant.ts";
import type { Way } from "./resolve.ts";

const upstream: Upstream = {
  id: "ups_1",
  name: "up",
  kind: "openai",
  baseUrl: null,
  speaks: ["chat"],
  credentials: [],
  concurrencyMax: null,
  probeMinutes: null,
  resetAtMs: null,
  isPaused: false,
  cost: 10_000,
  priority: 0,
  weight: 1,
  models: new Map(),
};
const price: Price = {
  id: "prc_1",
  inputPicos: 1n,
  cacheReadPicos: 1n,
  cacheWrite5mPicos: 1n,
  cacheWrite1hPicos: 1n,
  outputPicos: 1n,
  requestPicos: 0n,
  tiers: [],
};

type Asked = { outputTokens: number; isBounded: boolean; choices?: number };

function way({ outputTokens, isBounded, choices = 1 }: Asked): Way {
  const body = { model: "m", messages: [{ role: "user", content: "hi" }], n: choices };
  const read = readChatRequest(Buffer.from(JSON.stringify(body)));
  if ("refusal" in read) throw new Error("the request is good");
  const { request } = read;
  const quote = { priceId: price.id, basePicos: 0n, outputPicos: 1n, outputTokens, heldTokens: 1, choices };
  const asked = { request, price, quote, outputTokens, isBounded, dialect: "chat", prompt: null } as const;
  return { ...asked, upstream, credential: null, upstreamModel: "m" };
}

const admitted = (outputTokens: number): Admitted => ({
  admitted: true,
  keyId: "key_1",
  multiplier: 10_000,
  outputTokens,
  heldTokens: outputTokens,
  loweredBy: null,
  rates: [],
  expiresAtMs: null,
});

const header = (asked: Asked, granted: number) => {
  const headers: Record<string, string> = {};
  grantHeaders(way(asked), admitted(granted), headers);
  return headers;
};

describe("the limit sent upstream", () => {
  test("is the client's or the operator's own where the pocket affords it", () => {
    expect(outputLimit(way({ outputTokens: 500, isBounded: true }), admitted(500))).toBeNull();
    expect(
      outputLimit(way({ outputTokens: 1_000, isBounded: true, choices: 2 }), admitted(1_000)),
    ).toBeNull();
  });

  test("is what the pocket affords where that is less", () => {
    expect(outputLimit(way({ outputTokens: 500, isBounded: true }), admitted(499))).toBe(499);
    expect(outputLimit(way({ outputTokens: 500, isBounded: true }), admitted(64))).toBe(64);
  });

  test("is sent where nobody set one, even if all is affordable", () => {
    expect(outputLimit(way({ outputTokens: 16_384, isBounded: false }), admitted(16_384))).toBe(16_384);
    expect(outputLimit(way({ outputTokens: 16_384, isBounded: false }), admitted(70))).toBe(70);
  });

  test("is shared by the choices, which together stay within the grant", () => {
    expect(outputLimit(way({ outputTokens: 900, isBounded: true, choices: 3 }), admitted(100))).toBe(33);
    expect(outputLimit(way({ outputTokens: 49_152, isBounded: false, choices: 3 }), admitted(49_152))).toBe(
      16_384,
    );
    const choices = fc.integer({ min: 1, max: 128 });
    fc.assert(
      fc.property(
        choices,
        fc.integer({ min: 128, max: 100_000 }),
        fc.nat(),
        fc.boolean(),
        (n, granted, more, isBounded) => {
          const limit = outputLimit(
            way({ outputTokens: granted + more, isBounded, choices: n }),
            admitted(granted),
          );
          if (limit === null) expect(more === 0 && isBounded).toBe(true);
          else expect(limit >= 1 && limit * n <= granted && (limit + 1) * n > granted).toBe(true);
        },
      ),
    );
  });

  test("is never nothing, which upstreams refuse", () => {
    expect(outputLimit(way({ outputTokens: 128, isBounded: true, choices: 128 }), admitted(64))).toBe(1);
  });
});

describe("the client is told", () => {
  test("of a limit that was lowered, for each choice", () => {
    expect(header({ outputTokens: 500, isBounded: true }, 80)).toEqual({ "x-wicketgate-max-tokens": "80" });
    expect(header({ outputTokens: 500, isBounded: false }, 80)).toEqual({ "x-wicketgate-max-tokens": "80" });
    expect(header({ outputTokens: 500, isBounded: true, choices: 4 }, 90)).toEqual({
      "x-wicketgate-max-tokens": "22",
    });
  });

  test("nothing where it was not", () => {
    expect(header({ outputTokens: 500, isBounded: true }, 500)).toEqual({});
    expect(header({ outputTokens: 500, isBounded: false }, 500)).toEqual({});
  });
});
