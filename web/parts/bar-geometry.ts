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
    series.reduce((sum, { values }) => sum + Math.max(0, values[at] ?? 0), 0),
  );
}

/** Where each bar stands in a box; series are stacked in their order, the first at the bottom. */
export function layBars(given: {
  series: readonly Series[];
  buckets: number;
  width: number;
  height: number;
  top: number;
}): Bar[] {
  const { series, buckets, width, height, top } = given;
  const step = width / Math.max(1, buckets);
  const gap = Math.min(6, step * 0.3);
  const bars: Bar[] = [];
  for (let bucket = 0; bucket < buckets; bucket += 1) {
    let base = height;
    series.forEach(({ values }, at) => {
      const value = Math.max(0, values[bucket] ?? 0);
      if (value === 0) return;
      const size = (value / top) * height;
      base -= size;
      bars.push({ series: at, bucket, x: bucket * step + gap / 2, y: base, width: step - gap, height: size });
    });
  }
  return bars;
}
