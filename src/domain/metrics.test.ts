import { expect, test } from "bun:test";
import { Counter, Histogram, readingText } from "./metrics.ts";

test("a counter is text with its labels, escaped", () => {
  const counter = new Counter({ name: "a_total", help: "What it is.", labels: ["b", "c"] });
  counter.add(1, "x", "y");
  counter.add(2.5, "x", "y");
  counter.add(1, 'quote " back \\ line \n', "");
  expect(counter.text()).toBe(
    '# HELP a_total What it is.\n# TYPE a_total counter\na_total{b="x",c="y"} 3.5\n' +
      'a_total{b="quote \\" back \\\\ line \\n",c=""} 1\n',
  );
});

test("a histogram counts each number in every bucket above it", () => {
  const histogram = new Histogram({ name: "s", help: "H.", labels: [], bounds: [1, 2] });
  for (const number of [0.5, 1, 1.5, 9]) histogram.observe(number);
  expect(histogram.text().split("\n").slice(2)).toEqual([
    's_bucket{le="1"} 2',
    's_bucket{le="2"} 3',
    's_bucket{le="+Inf"} 4',
    "s_sum 12",
    "s_count 4",
    "",
  ]);
  const labelled = new Histogram({ name: "s", help: "H.", labels: ["a"], bounds: [1] });
  labelled.observe(3, "b");
  expect(labelled.text()).toContain(
    's_bucket{a="b",le="1"} 0\ns_bucket{a="b",le="+Inf"} 1\ns_sum{a="b"} 3\n',
  );
});

test("readings are told as they are", () => {
  const text = readingText({ name: "g", help: "H.", type: "gauge" }, [
    { value: 1 },
    { labels: { a: "b" }, value: 2 },
  ]);
  expect(text).toBe('# HELP g H.\n# TYPE g gauge\ng 1\ng{a="b"} 2\n');
});

test("labels without end are counted together, and nothing is lost", () => {
  const counter = new Counter({ name: "a_total", help: "H.", labels: ["b"] });
  for (let at = 0; at < 5_000; at++) counter.add(1, `label ${at}`);
  counter.add(1, "label 1");
  const lines = counter.text().trimEnd().split("\n").slice(2);
  expect(lines.length).toBe(2_001);
  expect(lines.at(-1)).toBe('a_total{b="other"} 3000');
  expect(lines[1]).toBe('a_total{b="label 1"} 2');
});
