import { describe, expect, test } from "bun:test";
import { type Piece, ThinkSplit } from "./think-split.ts";

function split(pieces: readonly string[]): Record<Piece["kind"], string> {
  const splitter = new ThinkSplit();
  const all = [...pieces.flatMap(piece => splitter.feed(piece)), ...splitter.flush()];
  const joined = (kind: Piece["kind"]) =>
    all
      .filter(piece => piece.kind === kind)
      .map(({ text }) => text)
      .join("");
  return { text: joined("text"), reasoning: joined("reasoning") };
}

describe("thoughts between tags", () => {
  test.each([
    ["<think>Hm.</think>So.", "Hm.", "So."],
    ["  \n<think>\nHm.\n</think>\n\nSo.", "Hm.\n", "So."],
    ["<think>\n\n</think>\n\nSo.", "", "So."],
    ["<think>a < b </thin k></think> So", "a < b </thin k>", "So"],
    ["<think>cut off", "cut off", ""],
    ["<think>cut off</thi", "cut off</thi", ""],
    ["So. <think>no</think>", "", "So. <think>no</think>"],
    ["<thin", "", "<thin"],
    ["<thought>x", "", "<thought>x"],
    [" plain", "", " plain"],
    ["\n", "", "\n"],
    ["<think>a</think>b<think>c</think>", "a", "b<think>c</think>"],
    ["", "", ""],
  ])("[P23] %j", (content, reasoning, text) => {
    expect(split([content])).toEqual({ reasoning, text });
    expect(split([...content])).toEqual({ reasoning, text });
    for (let at = 1; at < content.length; at++)
      expect(split([content.slice(0, at), content.slice(at)])).toEqual({ reasoning, text });
  });

  test("do not hold back what cannot become a tag", () => {
    const splitter = new ThinkSplit();
    expect(splitter.feed("<")).toEqual([]);
    expect(splitter.feed("b>")).toEqual([{ kind: "text", text: "<b>" }]);
    expect(splitter.feed("<think>")).toEqual([{ kind: "text", text: "<think>" }]);
  });
});
