import { expect, test } from "bun:test";
import { joinedTexts, textPart } from "./text-part.ts";

test("each text is a part of its own, with nothing said of it", () => {
  expect(textPart("A")).toEqual({ kind: "text", text: "A", citations: [], cache: null });
  expect(textPart("A").citations).not.toBe(textPart("A").citations);
});

test("texts are joined as paragraphs, without those that are empty or none", () => {
  expect(joinedTexts([{ text: "A" }, { text: "" }, null, "x", { text: 5 }, { text: "B" }])).toBe("A\n\nB");
  for (const parts of [undefined, "A", {}, []]) expect(joinedTexts(parts)).toBe("");
});
