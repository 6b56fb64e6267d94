import { expect, test } from "bun:test";
import { type Ask, hearAt } from "./demo.case.ts";

const embed = async (ask: Ask, model = "demo") => {
  const heard = await hearAt("embeddings", { ask, model });
  return { ...heard, body: heard.failure === null ? JSON.parse(heard.text) : null };
};
const vector = async (input: unknown): Promise<number[]> => (await embed({ input })).body.data[0].embedding;
const dot = (one: number[], other: number[]) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

test("a list has the shape of OpenAI's", async () => {
  const { body } = await embed({ input: ["one", "two three"], dimensions: 3 });
  expect(body).toEqual({
    object: "list",
    data: [0, 1].map(index => ({
      object: "embedding",
      index,
      embedding: [expect.any(Number), expect.any(Number), expect.any(Number)],
    })),
    model: "demo",
    usage: { prompt_tokens: 3, total_tokens: 3 },
  });
});

test("vectors have length one, are the same for the same text, and near for one that shares words", async () => {
  const gate = await vector("a small wicket gate in a wall");
  expect(gate).toHaveLength(256);
  expect(dot(gate, gate)).toBeCloseTo(1, 5);
  expect(await vector("a small wicket gate in a wall")).toEqual(gate);
  const near = dot(gate, await vector("the wicket gate in the wall"));
  const far = dot(gate, await vector("seven ships sail tonight"));
  expect(near).toBeGreaterThan(far + 0.2);
});

test("base64 holds the same numbers", async () => {
  const { body } = await embed({ input: "one two", dimensions: 8, encoding_format: "base64" });
  const bytes = Buffer.from(body.data[0].embedding, "base64");
  const plain = (await embed({ input: "one two", dimensions: 8 })).body.data[0].embedding;
  expect([...new Float32Array(new Uint8Array(bytes).buffer)]).toEqual(plain);
});

test("tokens are taken too, and everything that cancels out still points somewhere", async () => {
  expect((await embed({ input: [1, 2, 3] })).body).toMatchObject({
    data: [{ index: 0 }],
    usage: { total_tokens: 3 },
  });
  const two = (await embed({ input: [[1, 2], [3]] })).body;
  expect(two).toMatchObject({ data: [{ index: 0 }, { index: 1 }], usage: { total_tokens: 3 } });
  for (const input of ["a b", "c d", "e f g h"]) {
    const [only] = (await embed({ input, dimensions: 1 })).body.data[0].embedding;
    expect(Math.abs(only)).toBe(1);
  }
});

test("settings: usage, failure and a cut after so many vectors", async () => {
  expect((await embed({ input: "x" }, "demo-nousage")).body).not.toHaveProperty("usage");
  expect((await embed({ input: "x" }, "demo-fail-503")).status).toBe(503);
  const cut = await embed({ input: ["x", "y", "z"], demo: { cut_after: 2 } });
  expect(cut.failure?.kind).toBe("cut");
  expect(cut.text.match(/"index"/g)).toHaveLength(2);
});

test.each<[string, Ask]>([
  ["input", {}],
  ["input", { input: "" }],
  ["input", { input: [] }],
  ["input[1]", { input: ["x", ""] }],
  ["input[0]", { input: [null] }],
  ["input", { input: "x".repeat(100_001) }],
  ["dimensions", { input: "x", dimensions: 0 }],
  ["dimensions", { input: "x", dimensions: 4_097 }],
  ["encoding_format", { input: "x", encoding_format: "hex" }],
])("%s is refused", async (param, ask) => {
  const { status, body } = await embed(ask);
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ type: "invalid_request_error", param });
});
