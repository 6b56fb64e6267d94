import { expect, test } from "bun:test";
import { inflateSync } from "node:zlib";
import { type Ask, hearAt } from "./demo.case.ts";

const generate = async (ask: Ask, model = "demo") => {
  const heard = await hearAt("images", { ask, model });
  return { ...heard, body: heard.failure === null ? JSON.parse(heard.text) : null };
};

test("an answer has the shape of OpenAI's, and says how small it is", async () => {
  const { body } = await generate({ prompt: "A wicket gate", size: "1024x1024" });
  expect(body).toEqual({
    created: 1_760_000_000,
    data: [{ b64_json: expect.any(String) }],
    background: "opaque",
    output_format: "png",
    quality: "low",
    size: "16x16",
    usage: {
      input_tokens: 3,
      input_tokens_details: { image_tokens: 0, text_tokens: 3 },
      output_tokens: 64,
      output_tokens_details: { image_tokens: 64, text_tokens: 0 },
      total_tokens: 67,
    },
  });
});

test("a picture is a PNG whose every part checks out", async () => {
  const { body } = await generate({ prompt: "A wicket gate" });
  const png = Buffer.from(body.data[0].b64_json, "base64");
  expect(png.subarray(0, 8).toString("hex")).toBe("89504e470d0a1a0a");
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const content = png.subarray(at + 4, at + 8 + length);
    expect(png.readUInt32BE(at + 8 + length)).toBe(Bun.hash.crc32(content));
    chunks.set(content.toString("latin1", 0, 4), content.subarray(4));
    at += 12 + length;
  }
  expect([...chunks.keys()]).toEqual(["IHDR", "IDAT", "IEND"]);
  expect(chunks.get("IHDR")?.toString("hex")).toBe("00000010000000100802000000");
  expect(inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0)).length).toBe(16 * (1 + 16 * 3));
});

test("several differ, and the same prompt gives the same", async () => {
  const { body } = await generate({ prompt: "A gate", n: 3 });
  const images = body.data.map((image: { b64_json: string }) => image.b64_json);
  expect(new Set(images).size).toBe(3);
  expect((await generate({ prompt: "A gate" })).body.data[0].b64_json).toBe(images[0]);
});

test("an address holds the picture itself", async () => {
  const { body } = await generate({ prompt: "A gate", response_format: "url" });
  expect(body.data[0].url).toStartWith("data:image/png;base64,iVBOR");
});

test("settings: usage, and a cut after so many pictures", async () => {
  expect((await generate({ prompt: "x" }, "demo-nousage")).body).not.toHaveProperty("usage");
  expect((await generate({ prompt: "x", n: 2, demo: { cut_after: 1 } })).failure?.kind).toBe("cut");
});

test.each<[string, Ask]>([
  ["prompt", {}],
  ["prompt", { prompt: "" }],
  ["n", { prompt: "x", n: 0 }],
  ["n", { prompt: "x", n: 11 }],
  ["stream", { prompt: "x", stream: true }],
  ["response_format", { prompt: "x", response_format: "jpeg" }],
])("%s is refused", async (param, ask) => {
  const { status, body } = await generate(ask);
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ type: "invalid_request_error", param });
});
