import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ContentMeter, sampleText } from "./content-bytes.ts";

const saying = (delta: object) => Buffer.from(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
const escapedBytes = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2;

function metered(deltas: readonly object[], sampleBytesMax = 8_192): ContentMeter {
  const meter = new ContentMeter(sampleBytesMax);
  for (const delta of deltas) meter.read(saying(delta));
  return meter;
}

describe("the sample", () => {
  test("is all that was said, while it fits", () => {
    const call = { function: { name: "find", arguments: '{"a":"b"}' } };
    const meter = metered([
      { role: "assistant", content: "" },
      { reasoning_content: "Hm. " },
      { content: "Héllo 😀\n" },
      { tool_calls: [call] },
      { content: null, refusal: "No." },
    ]);
    expect(sampleText(meter.sample)).toBe('Hm. Héllo 😀\n{"a":"b"}No.');
    expect(meter.bytes).toBe(meter.sample.length);
  });

  test("is whatever texts came, joined", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), texts => {
        const meter = metered(texts.map(content => ({ content })));
        expect(meter.bytes).toBe(texts.reduce((sum, text) => sum + escapedBytes(text), 0));
        expect(sampleText(meter.sample)).toBe(texts.join("").toWellFormed());
      }),
    );
  });

  test("ends at its limit, and the count goes on", () => {
    const meter = metered(
      Array.from({ length: 100 }, () => ({ content: "0123456789" })),
      255,
    );
    expect(meter.bytes).toBe(1_000);
    expect(meter.sample.length).toBe(255);
    expect(sampleText(meter.sample)).toBe("0123456789".repeat(26).slice(0, 255));
  });

  test("is the beginning of the text wherever it is cut", () => {
    const text = 'a"\\\n你😀\u0001';
    for (let bytesMax = 0; bytesMax <= escapedBytes(text); bytesMax++) {
      const { sample } = metered([{ content: text }], bytesMax);
      expect(text.startsWith(sampleText(sample).replace(/\ufffd$/, ""))).toBe(true);
    }
  });

  test("is not changed by what is read into its source afterwards", () => {
    const meter = new ContentMeter(100);
    const data = saying({ content: "before" });
    meter.read(data);
    data.fill(0x20);
    expect(sampleText(meter.sample)).toBe("before");
  });
});

test("what is no JSON is read as it stands", () => {
  expect(sampleText(Buffer.from("a\nb is two lines"))).toBe("a\nb is two lines");
  expect(sampleText(Buffer.from("\\x is no escape"))).toBe("\\x is no escape");
});
