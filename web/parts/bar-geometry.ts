export type Series = {
  id: string;
  name: string;
  values: readonly number[];
  /** What is shown of each value, where the number is only drawn (money). */
  texts?: readonly string[];
};

export type Bar = { series: number; bucket: number; x: number; y: number; width: number; height: number };

/** The next round number at or above: one whose half is round, too. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 3, 4, 5, 6, 8, 10].find(candidate => candidate * power >= value) ?? 10;
  return step * power;
}

export function totalsOf(series: readonly Series[], buckets: number): number[] {
  return Array.from({ length: buckets }, (_, at) =>
    series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  );
}

/** How far the bars reach up from zero, and down from it where something is less than nothing: both round. */
export function reachOf(series: readonly Series[], buckets: number): { top: number; bottom: number } {
  let [up, down] = [0, 0];
  for (let at = 0; at < buckets; at += 1) {
    const values = series.map(({ values: all }) => all[at] ?? 0);
    up = Math.max(
      up,
      values.reduce((sum, value) => sum + Math.max(0, value), 0),
    );
    down = Math.max(
      down,
      values.reduce((sum, value) => sum + Math.max(0, -value), 0),
    );
  }
  if (down === 0) return { top: roundUp(up), bottom: 0 };
  return { top: up === 0 ? 0 : roundUp(up), bottom: roundUp(down) };
}

/** What the scale has: each value, and its place from the top (0) to the bottom (1). */
export function scaleOf({
  top,
  bottom,
}: {
  top: number;
  bottom: number;
}): { value: number; share: number }[] {
  const whole = top + bottom;
  const values = bottom === 0 ? [top, top / 2, 0] : [top, 0, -bottom];
  const marks = values.map(value => ({ value, share: (top - value) / whole }));
  const zero = top / whole;
  return marks.filter(({ value, share }) => value === 0 || Math.abs(share - zero) > NEAR_ZERO);
}

/** So close to zero, in parts of the whole, its mark and that of zero would cover each other. */
const NEAR_ZERO = 0.1;

/** Where each bar stands in a box; series are stacked in their order, the first next to zero. */
export function layBars(given: {
  series: readonly Series[];
  buckets: number;
  width: number;
  height: number;
  top: number;
  /** How far the box goes below zero. */
  bottom?: number;
}): Bar[] {
  const { series, buckets, width, height, top, bottom = 0 } = given;
  const step = width / Math.max(1, buckets);
  const gap = Math.min(6, step * 0.3);
  const scale = height / (top + bottom);
  const bars: Bar[] = [];
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    let [above, below] = [top * scale, top * scale];
    series.forEach(({ values }, at) => {
      const value = values[bucket] ?? 0;
      if (value === 0) return;
      const size = Math.abs(value) * scale;
      if (value > 0) above -= size;
      bars.push({
        ...{ series: at, bucket, x: bucket * step + gap / 2, width: step - gap, height: size },
        y: value > 0 ? above : below,
      });
      if (value < 0) below += size;
    });
  }
  return bars;
}
