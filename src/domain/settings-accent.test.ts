import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { accentProblem, accentShades, accentTones, contrast, readColour } from "./settings-accent.ts";

const LIGHT = { bg: "#faf9f7", panel: "#ffffff", sunken: "#f4f2ee", ink: "#1c1a17" };
const DARK = { bg: "#131210", panel: "#1b1a17", sunken: "#161512", ink: "#f1eee8" };

/** Every hue, from black to white. */
const SWEEP = [0, 51, 102, 153, 204, 255].flatMap((red, _, steps) =>
  steps.flatMap(green => steps.map(blue => hex(red, green, blue))),
);

function hex(...parts: number[]): string {
  return `#${parts.map(part => part.toString(16).padStart(2, "0")).join("")}`;
}

test("a colour is six digits, in capital or small letters", () => {
  expect(readColour(" #17694F ")).toBe("#17694f");
  for (const bad of ["17694f", "#17694", "#17694fa", "green", "rgb(1,2,3)", "#17694g", ""]) {
    expect(readColour(bad)).toBeNull();
  }
});

test("contrast is that of WCAG", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21, 5);
  expect(contrast("#ffffff", "#000000")).toBeCloseTo(21, 5);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.478, 3);
  expect(contrast("#17694f", "#17694f")).toBe(1);
});

test("the grounds are those of the style sheet", () => {
  const css = readFileSync(join(import.meta.dir, "../../web/styles/tokens.css"), "utf8");
  for (const colour of [LIGHT.bg, LIGHT.panel, LIGHT.sunken, DARK.bg, DARK.panel, DARK.sunken]) {
    expect(css).toContain(`: ${colour};`);
  }
});

describe("a colour that can be an accent", () => {
  const good = SWEEP.filter(colour => accentProblem(colour) === null);

  test("is one on which white can be read, and which can be read on every light ground", () => {
    expect(good.length).toBeGreaterThan(60);
    for (const colour of SWEEP) {
      const grounds = ["#ffffff", LIGHT.bg, LIGHT.panel, LIGHT.sunken];
      const isReadable = grounds.every(ground => contrast(colour, ground) >= 4.5);
      expect([colour, accentProblem(colour) === null]).toEqual([colour, isReadable]);
    }
  });

  test("has tones that can be read in both themes, with all that stands on them", () => {
    for (const colour of good) {
      const tones = accentTones(colour);
      expect(tones.light).toBe(colour);
      for (const [theme, ground] of [
        ["light", LIGHT],
        ["dark", DARK],
      ] as const) {
        const { accent, hover, ink, soft } = accentShades(tones[theme], theme);
        const pairs = [
          ...[ground.bg, ground.panel, ground.sunken, soft].map(under => [accent, under] as const),
          ...([[ink, accent] as const, [ink, hover] as const, [ground.ink, soft] as const] as const),
        ];
        const low = pairs.filter(([one, other]) => !(contrast(one, other) >= 4.5));
        expect([colour, theme, low]).toEqual([colour, theme, []]);
      }
    }
  });
});

test("the tone for dark pages keeps the hue", () => {
  expect(accentTones("#8a1f5c").dark).toMatch(/^#[c-f]/);
  const [red, , blue] = [1, 3, 5].map(at =>
    Number.parseInt(accentTones("#8a1f5c").dark.slice(at, at + 2), 16),
  );
  expect((red ?? 0) - (blue ?? 0)).toBeGreaterThan(20);
  expect(accentTones("#000000").dark).toMatch(/^#(\w\w)\1\1$/);
});

test("one that is too light is told by how much", () => {
  expect(accentProblem("#7fc1d1")).toBe(
    "must be darker: white text on it has a contrast of 2.0 to 1, and it on the page has 1.7 to 1, where 4.5 to 1 can be read",
  );
});
