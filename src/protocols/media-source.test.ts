import { describe, expect, test } from "bun:test";
import { dataSource, dataUrl, fileName, plainSource, titledText } from "./media-source.ts";

const HEADER = /^data:([a-z]+\/[a-z]+);base64,/i;

describe("a data URL", () => {
  test("is read and written", () => {
    const source = { kind: "data", mediaType: "image/png", data: "AAAA" } as const;
    expect(dataSource("data:image/PNG;base64,AAAA", HEADER)).toEqual(source);
    expect(dataUrl(source)).toBe("data:image/png;base64,AAAA");
  });

  test("is none without the header", () => {
    for (const url of ["", "AAAA", "https://x.test/a.png", "data:image/png,AAAA"])
      expect(dataSource(url, HEADER)).toBeNull();
  });

  test("is searched at its beginning only", () => {
    expect(dataSource(`data:image/${"a".repeat(200)};base64,AAAA`, HEADER)).toBeNull();
  });
});

describe("a document", () => {
  test("is text where its bytes are", () => {
    const data = Buffer.from("Grüße").toString("base64");
    expect(plainSource({ kind: "data", mediaType: "text/plain", data })).toEqual({
      kind: "text",
      text: "Grüße",
    });
    const pdf = { kind: "data", mediaType: "application/pdf", data } as const;
    expect(plainSource(pdf)).toBe(pdf);
  });

  test("has its name before its text", () => {
    expect(titledText({ text: "A", name: "a.txt" })).toBe("a.txt\n\nA");
    expect(titledText({ text: "A", name: null })).toBe("A");
  });

  test("gets a name that tells what it is", () => {
    const named = (name: string | null, mediaType: string) => fileName({ name, mediaType });
    expect(named("a.pdf", "image/png")).toBe("a.pdf");
    expect(named(null, "application/pdf")).toBe("document.pdf");
    expect(named(null, "application/zip")).toBe("document");
  });
});
