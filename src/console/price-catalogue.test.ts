import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type PriceCatalogue, priceCatalogue, SHIPPED } from "./price-catalogue.ts";

const nowMs = Date.UTC(2026, 10, 15, 20);

async function opened(file: string | null = null): Promise<PriceCatalogue> {
  const catalogue = await priceCatalogue(file);
  if ("problem" in catalogue) throw new Error(catalogue.problem);
  return catalogue;
}

const OPENAI = "https://api.openai.com/v1";

describe("the shipped prices", () => {
  test("are of the version that is installed", () => {
    const entry = Bun.resolveSync("@pydantic/genai-prices", import.meta.dir);
    const { version } = JSON.parse(readFileSync(join(dirname(entry), "..", "package.json"), "utf8"));
    expect(version).toBe(SHIPPED.version);
  });

  test("say of when they are", async () => {
    expect((await opened()).source).toBe(`genai-prices ${SHIPPED.version} of ${SHIPPED.date}`);
  });

  test("know cached input and the size of the context", async () => {
    const { suggest } = await opened();
    expect(suggest({ baseUrl: OPENAI, model: "gpt-5", nowMs })).toEqual({
      contextTokens: 400_000,
      price: { input: "1.25", output: "10", cache_read: "0.125" },
    });
  });

  test("keep the two prices of writing a cache, and the dearer ones of a long context", async () => {
    const { suggest } = await opened();
    const found = suggest({
      baseUrl: "https://api.anthropic.com",
      model: "claude-sonnet-4-5-20250929",
      nowMs,
    });
    expect(found?.price).toEqual({
      ...{ input: "3", output: "15", cache_read: "0.3", cache_write_5m: "3.75", cache_write_1h: "6" },
      tiers: [
        {
          ...{ above: "200000", input: "6", output: "22.5" },
          ...{ cache_read: "0.6", cache_write_5m: "7.5", cache_write_1h: "12" },
        },
      ],
    });
  });

  test("never make an hour of cache cheaper than five minutes of it", async () => {
    const { suggest } = await opened();
    const baseUrl = "https://openrouter.ai/api/v1";
    const claude = suggest({ baseUrl, model: "anthropic/claude-sonnet-4.5", nowMs })?.price;
    expect(claude).toMatchObject({ input: "3", cache_write_5m: "3.75", cache_write_1h: "6" });
    expect(claude?.tiers?.[0]).toMatchObject({ cache_write_5m: "7.5", cache_write_1h: "12" });
    const other = suggest({ baseUrl: "https://api.minimax.io/v1", model: "MiniMax-M2", nowMs })?.price;
    expect(other).toMatchObject({ cache_write_5m: "0.375", cache_write_1h: "0.375" });
  });

  test("are those of the day where the night is cheaper, whenever they are asked for", async () => {
    const { suggest } = await opened();
    const at = (hour: number) =>
      suggest({
        baseUrl: "https://api.deepseek.com",
        model: "deepseek-chat",
        nowMs: Date.UTC(2026, 10, 15, hour),
      })?.price;
    expect(at(20)).toEqual({ input: "0.27", output: "1.1", cache_read: "0.07" });
    expect(at(12)).toEqual(at(20) ?? null);
  });

  test("of an embedding have no output", async () => {
    const { suggest } = await opened();
    const found = suggest({ baseUrl: OPENAI, model: "text-embedding-3-small", nowMs });
    expect(found?.price).toEqual({ output: "0", input: "0.02" });
  });

  test("are not guessed for what is not charged by tokens of text", async () => {
    const { suggest } = await opened();
    const google = "https://generativelanguage.googleapis.com/v1beta/openai";
    for (const [baseUrl, model] of [
      [OPENAI, "gpt-4o-audio-preview"],
      [OPENAI, "gpt-image-1"],
      [OPENAI, "whisper-1"],
      [google, "gemini-2.5-flash-image"],
    ] as const) {
      expect(suggest({ baseUrl, model, nowMs })?.price ?? null).toBeNull();
    }
    expect(suggest({ baseUrl: google, model: "gemini-2.5-flash", nowMs })?.price).not.toBeNull();
  });

  test("are not those of another address or of another model", async () => {
    const { suggest } = await opened();
    expect(suggest({ baseUrl: "http://127.0.0.1:11434/v1", model: "gpt-5", nowMs })).toBeNull();
    expect(suggest({ baseUrl: null, model: "gpt-5", nowMs })).toBeNull();
    expect(suggest({ baseUrl: OPENAI, model: "no-such-model", nowMs })).toBeNull();
  });
});

describe("a file of prices", () => {
  const provider = (prices: unknown) => [
    {
      ...{ id: "mine", name: "Mine", api_pattern: "https://models\\.example\\.org" },
      models: [{ id: "small", match: { equals: "small" }, prices }],
    },
  ];

  test.each([
    ["not JSON", "{"],
    ["something else", `{"models": []}`],
    ["an empty list", "[]"],
    ["a pattern that is none", JSON.stringify([{ ...provider({})[0], api_pattern: "(" }])],
    ["a price that is none", JSON.stringify(provider({ input_mtok: "cheap", output_mtok: 1 }))],
    ["tiers that are none", JSON.stringify(provider({ input_mtok: { base: 1 }, output_mtok: 1 }))],
  ])("that is %s is refused", async (_, file) => {
    expect(await priceCatalogue(file)).toEqual({
      problem: expect.stringContaining("is not a list of prices"),
    });
  });

  test("takes the place of the shipped ones", async () => {
    const { suggest, source } = await opened(JSON.stringify(provider({ input_mtok: 0.1, output_mtok: 0.2 })));
    const found = suggest({ baseUrl: "https://models.example.org/v1", model: "small", nowMs });
    expect(found).toEqual({ contextTokens: null, price: { input: "0.1", output: "0.2" } });
    expect(suggest({ baseUrl: OPENAI, model: "gpt-5", nowMs })).toBeNull();
    expect(source).toBe("the file of --prices");
  });
});
