import { describe, expect, test } from "bun:test";
import { isRounded } from "./receipt-rounding.ts";
import { createRowCounter, type ExportFormat } from "./row-counter.ts";

/** In pieces of every size, as a network cuts them. */
function rowsOf(format: ExportFormat, text: string, pieceBytes: number): number {
  const bytes = new TextEncoder().encode(text);
  const count = createRowCounter(format);
  let rows = 0;
  for (let at = 0; at < bytes.length; at += pieceBytes) rows = count(bytes.subarray(at, at + pieceBytes));
  return rows;
}

describe("rows of an export are counted as they go by", () => {
  const csv = 'id,model\r\n1,a\r\n2,"two\nlines ""quoted"""\r\n3,b\r\n';
  const json = `[\n${[1, 2, 3].map(id => JSON.stringify({ id, text: "a\nb" })).join(",\n")}\n]\n`;

  test.each([1, 2, 7, 1000])("in pieces of %p bytes", size => {
    expect(rowsOf("csv", csv, size)).toBe(3);
    expect(rowsOf("json", json, size)).toBe(3);
  });

  test("none", () => {
    expect(rowsOf("csv", "id,model\r\n", 4)).toBe(0);
    expect(rowsOf("json", "[\n\n]\n", 2)).toBe(0);
  });
});

describe("a receipt says that it was rounded", () => {
  test.each([
    ["0.06940185", "0.8", "0.05552148", false],
    ["0.0000000001", "0.8", "0.000000001", true],
    ["0.1", "1", "0.1", false],
    ["0.10", "1.0", "0.1", false],
    ["5.00", "1", "3.00", false],
  ])("%s × %s charged as %s: %p", (price_usd, multiplier, cost_usd, isSo) => {
    expect(isRounded({ price_usd, multiplier, cost_usd })).toBe(isSo);
  });

  test("not where there was no multiplier", () => {
    expect(isRounded({ price_usd: "1", multiplier: null, cost_usd: "2" })).toBe(false);
  });
});
