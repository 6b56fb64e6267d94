import type { Upstream } from "./upstream-reads.ts";

export type Pair = Upstream["models"][number];

/** One model on each line, with the upstream's own name only where it differs. */
export function linesOf(models: readonly Pair[]): string {
  return models
    .map(({ model, upstream_model }) => (model === upstream_model ? model : `${model} = ${upstream_model}`))
    .join("\n");
}

/** A name may have an equals sign in it; one with blanks around it divides. */
const DIVIDES = / +=+ +/;

export function pairsOf(lines: string): Pair[] {
  return lines
    .split("\n")
    .map(line => line.trim())
    .filter(line => line !== "")
    .map(line => {
      const [model = "", upstream_model = model] = line.split(DIVIDES);
      return { model: model.trim(), upstream_model: upstream_model.trim() };
    });
}

/** A public name that is there twice. */
export function twiceIn(pairs: readonly Pair[]): string | null {
  const seen = new Set<string>();
  for (const { model } of pairs) {
    if (seen.has(model)) return model;
    seen.add(model);
  }
  return null;
}
