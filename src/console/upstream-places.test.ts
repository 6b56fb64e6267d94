import { expect, test } from "bun:test";
import type { Upstream } from "../domain/catalogue.ts";
import { misplacedUpstreams, type Placing } from "./upstream-places.ts";

const NAMES: Readonly<Record<string, readonly string[]>> = {
  "public.example.org": ["93.184.216.34"],
  "inner.example.org": ["10.0.0.7"],
  "mixed.example.org": ["93.184.216.34", "127.0.0.1"],
  "cloud.example.org": ["169.254.169.254"],
};

function upstream(name: string, baseUrl: string | null): Upstream {
  return {
    ...{ id: `ups_${name}`, name, kind: "openai-compatible", baseUrl, speaks: ["chat"], credentials: [] },
    ...{
      priority: 0,
      weight: 1,
      concurrencyMax: null,
      probeMinutes: null,
      resetAtMs: null,
      isPaused: false,
      cost: 10_000,
      models: new Map(),
    },
  };
}

const found = (host: string | null, more: Partial<Placing> = {}) =>
  misplacedUpstreams({
    upstreams: [upstream("up", host === null ? null : `https://${host}/v1`)],
    privateUpstreams: [],
    httpsProxy: null,
    lookUp: async name => NAMES[name] ?? Promise.reject(new Error("no such name")),
    ...more,
  }).then(list => list.map(({ problem }) => problem));

test("a name that leads to a private address is told, with the setting that would allow it", async () => {
  expect(await found("inner.example.org")).toEqual([
    expect.stringMatching(/10\.0\.0\.7.*private address.*WICKETGATE_PRIVATE_UPSTREAMS/),
  ]);
  expect(await found("mixed.example.org")).toEqual([expect.stringContaining("127.0.0.1")]);
  expect(await found("cloud.example.org", { privateUpstreams: [".example.org"] })).toEqual([
    expect.stringContaining("169.254.169.254"),
  ]);
  expect(await found("nowhere.example.org")).toEqual([expect.stringContaining("cannot be resolved")]);
});

test("what is public, allowed, written as an address, or resolved by a proxy is not", async () => {
  expect(await found("public.example.org")).toEqual([]);
  expect(await found("inner.example.org", { privateUpstreams: ["inner.example.org"] })).toEqual([]);
  expect(await found("10.0.0.7")).toEqual([]);
  expect(await found("localhost")).toEqual([]);
  expect(await found("[::1]:8000")).toEqual([]);
  expect(await found("inner.example.org", { httpsProxy: "http://proxy:3128" })).toEqual([]);
  expect(await found(null)).toEqual([]);
});
