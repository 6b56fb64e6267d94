import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const css = readFileSync(join(import.meta.dir, "tokens.css"), "utf8");

function tokens(block: string | undefined): Record<string, string> {
  return Object.fromEntries(
    [...(block ?? "").matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [
      name ?? "",
      // What holds where the house has no colour of its own.
      (value ?? "").replace(/^var\(--house-[\w-]+, (#[0-9a-f]{6})\)$/, "$1"),
    ]),
  );
}

const light = tokens(/^:root \{([^}]+)\}/m.exec(css)?.[1]);
const bySystem = tokens(/:root:not\(\[data-theme="light"\]\) \{([^}]+)\}/.exec(css)?.[1]);
const byChoice = tokens(/:root\[data-theme="dark"\] \{([^}]+)\}/.exec(css)?.[1]);

/** By WCAG 2. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map(at => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map(part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const TEXT: readonly [ink: string, on: readonly string[]][] = [
  ["ink", ["bg", "panel", "sunken", "hover", "accent-soft", "warn-soft", "bad-soft", "info-soft"]],
  ["ink-2", ["bg", "panel", "sunken", "hover", "accent-soft", "warn-soft", "info-soft"]],
  ["ink-3", ["bg", "panel", "sunken", "hover"]],
  ["accent", ["bg", "panel", "sunken", "accent-soft"]],
  ["accent-ink", ["accent", "accent-hover"]],
  ["bad-ink", ["bad", "bad-hover"]],
  ["ok", ["panel", "ok-soft"]],
  ["warn", ["panel", "sunken", "warn-soft"]],
  ["bad", ["panel", "bad-soft"]],
  ["info", ["panel", "info-soft"]],
];

for (const [name, theme] of [
  ["light", light],
  ["dark", byChoice],
] as const) {
  describe(`the ${name} theme`, () => {
    const pairs = (list: typeof TEXT) =>
      list.flatMap(([ink, on]) => on.map(ground => [ink, ground] as const));

    test("has text that can be read: 4.5 to 1 at least", () => {
      const low = pairs(TEXT)
        .map(([ink, ground]) => ({ ink, ground, ratio: contrast(theme[ink] ?? "", theme[ground] ?? "") }))
        .filter(({ ratio }) => !(ratio >= 4.5));
      expect(low).toEqual([]);
    });

    test("has edges of inputs and marks that can be seen: 3 to 1 at least", () => {
      const marks = pairs([
        ["edge", ["panel", "bg"]],
        ["accent", ["panel", "line"]],
        ["warn", ["line"]],
        ["bad", ["line"]],
      ]);
      const low = marks.filter(([mark, ground]) => !(contrast(theme[mark] ?? "", theme[ground] ?? "") >= 3));
      expect(low).toEqual([]);
    });
  });
}

test("dark by the system and by choice are the same, and leave out nothing", () => {
  expect(bySystem).toEqual(byChoice);
  expect(Object.keys(byChoice).sort()).toEqual(Object.keys(light).sort());
});
