/** Numbers about the house, in the text format that Prometheus reads. Pure: who counts what is told by others. */

export type Described = { name: string; help: string };
type Labelled = Described & { labels: readonly string[] };

/** More series than this would be a mistake in what is used as a label; the rest is counted together. */
const SERIES_MAX = 2_000;
const REST = "other";

type Entry<T> = { labels: string; value: T };
/** The values of one label, and what they lead to. */
class Branch<T> {
  readonly next = new Map<string, Branch<T>>();
  entry: Entry<T> | null = null;
}

/**
 * Values by the values of their labels, of which there are three at most: one step for each, since a list or a text of
 * them would be made for every request.
 */
class Series<T> {
  readonly #root = new Branch<T>();
  readonly #all: Entry<T>[] = [];
  readonly #names: readonly string[];
  readonly #fresh: () => T;

  constructor(names: readonly string[], fresh: () => T) {
    this.#names = names;
    this.#fresh = fresh;
  }

  of(first?: string, second?: string, third?: string): Entry<T> {
    let branch: Branch<T> | undefined = this.#root;
    if (first !== undefined) branch = branch.next.get(first);
    if (second !== undefined) branch = branch?.next.get(second);
    if (third !== undefined) branch = branch?.next.get(third);
    return branch?.entry ?? this.#add(first, second, third);
  }

  all(): readonly Entry<T>[] {
    return this.#all;
  }

  #add(...given: readonly (string | undefined)[]): Entry<T> {
    const isFull = this.#all.length >= SERIES_MAX;
    const values = this.#names.map((_, at) => (isFull ? REST : (given[at] ?? "")));
    let branch = this.#root;
    for (const value of values) {
      const next = branch.next.get(value) ?? new Branch<T>();
      branch.next.set(value, next);
      branch = next;
    }
    if (branch.entry !== null) return branch.entry;
    const made = { labels: labelText(this.#names, values), value: this.#fresh() };
    branch.entry = made;
    this.#all.push(made);
    return made;
  }
}

/** What only grows. */
export class Counter {
  readonly #about: Labelled;
  readonly #series: Series<number>;

  constructor(about: Labelled) {
    this.#about = about;
    this.#series = new Series(about.labels, () => 0);
  }

  add(by: number, first?: string, second?: string, third?: string): void {
    this.#series.of(first, second, third).value += by;
  }

  text(): string {
    const { name } = this.#about;
    const lines = this.#series.all().map(({ labels, value }) => `${name}${labels} ${value}\n`);
    return head(this.#about, "counter") + lines.join("");
  }
}

type Spread = { counts: number[]; sum: number };

/** How often a number fell below each of some bounds. */
export class Histogram {
  readonly #about: Labelled;
  readonly #bounds: readonly number[];
  readonly #series: Series<Spread>;

  constructor(about: Labelled & { bounds: readonly number[] }) {
    this.#about = about;
    this.#bounds = about.bounds;
    this.#series = new Series(about.labels, () => ({ counts: about.bounds.map(() => 0).concat(0), sum: 0 }));
  }

  observe(number: number, label?: string): void {
    const { value } = this.#series.of(label);
    let at = 0;
    while (at < this.#bounds.length && number > (this.#bounds[at] ?? 0)) at += 1;
    value.counts[at] = (value.counts[at] ?? 0) + 1;
    value.sum += number;
  }

  text(): string {
    const lines = this.#series.all().map(({ labels, value }) => this.#lines(labels, value));
    return head(this.#about, "histogram") + lines.join("");
  }

  #lines(labels: string, { counts, sum }: Spread): string {
    const { name } = this.#about;
    let below = 0;
    const buckets = counts.map((count, at) => {
      below += count;
      return `${name}_bucket${withBound(labels, this.#bounds[at])} ${below}\n`;
    });
    return `${buckets.join("")}${name}_sum${labels} ${sum}\n${name}_count${labels} ${below}\n`;
  }
}

export type Reading = { labels?: Readonly<Record<string, string>>; value: number };

/** What is read when somebody asks, rather than counted: a gauge, or a counter that others keep. */
export function readingText(
  about: Described & { type: "gauge" | "counter" },
  readings: readonly Reading[],
): string {
  const lines = readings.map(({ labels = {}, value }) => {
    return `${about.name}${labelText(Object.keys(labels), Object.values(labels))} ${value}\n`;
  });
  return head(about, about.type) + lines.join("");
}

function head({ name, help }: Described, type: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function labelText(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return "";
  return `{${names.map((name, at) => `${name}="${escaped(values[at] ?? "")}"`).join(",")}}`;
}

function withBound(labels: string, bound: number | undefined): string {
  const le = `le="${bound ?? "+Inf"}"`;
  return labels === "" ? `{${le}}` : `${labels.slice(0, -1)},${le}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
