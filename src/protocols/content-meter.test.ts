import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ContentMeter, KeptText, sampleText } from "./content-meter.ts";
import { chatMeter } from "./openai-chat/content-bytes.ts";

const saying = (delta: object) => Buffer.from(`data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
const escapedBytes = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2;

function metered(deltas: readonly object[], sampleBytesMax = 8_192): ContentMeter {
  const meter = chatMeter(sampleBytesMax);
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
    const meter = chatMeter(100);
    const data = saying({ content: "before" });
    meter.read(data);
    data.fill(0x20);
    expect(sampleText(meter.sample)).toBe("before");
  });
});

describe("what is kept besides", () => {
  test("is what is read while somebody wants it, however long", () => {
    const meter = chatMeter(3);
    meter.read(saying({ content: "before " }));
    const kept = new KeptText(100);
    meter.also = kept;
    meter.read(saying({ content: "é\n" }));
    meter.read(saying({ content: "😀" }));
    meter.also = null;
    meter.read(saying({ content: " after" }));
    expect(sampleText(kept.bytes)).toBe("é\n😀");
    expect(kept.isCut).toBe(false);
    expect(sampleText(meter.sample)).toBe("bef");
  });

  test("says where it is not all", () => {
    const kept = new KeptText(4);
    kept.add(Buffer.from("abcd"), { from: 0, end: 4 });
    expect(kept.isCut).toBe(false);
    kept.add(Buffer.from("e"), { from: 0, end: 1 });
    expect(kept.isCut).toBe(true);
    expect(kept.bytes.toString()).toBe("abcd");
  });
});

test("a text that stands in no field is counted as it would stand in JSON", () => {
  const meter = new ContentMeter([], 100);
  meter.add('a"\n');
  meter.add("你");
  expect(meter.bytes).toBe(5 + 3);
  expect(sampleText(meter.sample)).toBe('a"\n你');
});

test("what is no JSON is read as it stands", () => {
  expect(sampleText(Buffer.from("a\nb is two lines"))).toBe("a\nb is two lines");
  expect(sampleText(Buffer.from("\\x is no escape"))).toBe("\\x is no escape");
});
