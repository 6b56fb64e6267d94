import { describe, expect, test } from "bun:test";
import { dataUrl, jpeg, png, webp } from "./picture.case.ts";
import { LOGO_BYTES_MAX, readLogo } from "./settings-logo.ts";

function read(bytes: Uint8Array, type?: string) {
  const found = readLogo(dataUrl(bytes, type));
  if ("problem" in found) return found.problem;
  const { type: kind, width, height } = found.logo;
  return [kind, width, height];
}

describe("a picture", () => {
  test("is known by its bytes, whatever it says it is", () => {
    expect(read(png(120, 40))).toEqual(["image/png", 120, 40]);
    expect(read(png(120, 40), "image/webp")).toEqual(["image/png", 120, 40]);
    expect(read(jpeg(300, 200))).toEqual(["image/jpeg", 300, 200]);
    expect(read(webp("VP8 ", 64, 32))).toEqual(["image/webp", 64, 32]);
    expect(read(webp("VP8L", 1024, 1))).toEqual(["image/webp", 1024, 1]);
    expect(read(webp("VP8X", 500, 600))).toEqual(["image/webp", 500, 600]);
  });

  test("has an address by its bytes", () => {
    const of = (bytes: Uint8Array) => {
      const found = readLogo(dataUrl(bytes));
      return "logo" in found ? found.logo.hash : "";
    };
    expect(of(png(8, 8))).toMatch(/^[0-9a-f]{16}$/);
    expect(of(png(8, 8))).toBe(of(png(8, 8)));
    expect(of(png(8, 8))).not.toBe(of(png(8, 9)));
  });
});

describe("refused is", () => {
  test("what says that it is another kind: SVG, a page, an address", () => {
    for (const given of [
      dataUrl(Buffer.from("<svg onload=alert(1)>"), "image/svg+xml"),
      "data:image/svg+xml,<svg/>",
      "data:text/html;base64,PGI+",
      "https://example.org/logo.png",
      "data:image/png;base64,",
      "data:image/png;base64,****",
      "",
    ]) {
      expect(readLogo(given)).toEqual({
        problem: "must be a PNG, JPEG or WebP picture, as a data URL in base64",
      });
    }
  });

  test("what is none of the kinds inside", () => {
    const gif = Buffer.from("GIF89a".padEnd(64, "."));
    const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'></svg>".padEnd(64));
    for (const bytes of [
      gif,
      svg,
      png(8, 8).slice(0, 20),
      jpeg(8, 8).slice(0, 20),
      webp("VP8L", 8, 8).slice(0, 24),
    ]) {
      expect(read(new Uint8Array(bytes))).toContain("these bytes are not one");
    }
  });

  test("a segment that leads nowhere, without end", () => {
    const endless = jpeg(8, 8);
    endless.set([0xff, 0xe1, 0, 0], 2);
    expect(read(endless)).toContain("these bytes are not one");
    expect(read(new Uint8Array(65_536).fill(0xff))).toContain("these bytes are not one");
  });

  test("one that would unfold to more than a page can hold", () => {
    expect(read(png(50_000, 50_000))).toBe(
      "must have at most 1024 pixels a side; this picture has 50000 × 50000",
    );
    expect(read(png(4_294_967_295, 1))).toContain("at most 1024 pixels");
    expect(read(png(0, 10))).toContain("at most 1024 pixels");
    expect(read(jpeg(65_535, 65_535))).toContain("at most 1024 pixels");
    expect(read(webp("VP8X", 16_777_216, 16_777_216))).toContain("16777216 × 16777216");
    expect(read(webp("VP8L", 16_384, 16_384))).toContain("16384 × 16384");
  });

  test("one that is too large", () => {
    expect(read(png(8, 8, LOGO_BYTES_MAX))).toEqual(["image/png", 8, 8]);
    expect(read(png(8, 8, LOGO_BYTES_MAX + 1))).toBe("must be at most 64 KB; this picture has 65 KB");
  });
});
