import { useEffect, useMemo, useRef } from "react";
import Plot from "uplot";
import { formatTime } from "../format/time.ts";
import type { Language } from "../words/language.ts";
import { useLanguage } from "../words/language-provider.tsx";
import type { LineChartProps } from "./line-chart.tsx";

function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function optionsOf(props: LineChartProps & { language: Language }, width: number): Plot.Options {
  const day = (ms: number) => formatTime(new Date(ms).toISOString(), props.language, "day");
  const axis = {
    font: `11px ${token("--font-sans")}`,
    stroke: token("--ink-3"),
    grid: { stroke: token("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: props.height ?? 160,
    legend: { show: false },
    ms: 1,
    cursor: { y: false, points: { size: 7 } },
    axes: [
      { ...axis, values: (_, splits) => splits.map(day) },
      { ...axis, size: 64, values: (_, splits) => splits.map(props.show) },
    ],
    series: [
      {},
      ...props.series.map((one, at) => ({
        label: one.name,
        stroke: token(`--series-${(at % 8) + 1}`),
        fill: props.series.length === 1 ? token("--accent-soft") : "transparent",
        width: 1.75,
        points: { show: false },
      })),
    ],
  };
}

/** Drawn on a canvas, which cannot read the tokens by itself: drawn anew when the theme or the width changes. */
export function LinePlot(given: LineChartProps) {
  const { language } = useLanguage();
  const props = useMemo(() => ({ ...given, language }), [given, language]);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const data: Plot.AlignedData = [[...props.times], ...props.series.map(({ values }) => [...values])];
    let plot = new Plot(optionsOf(props, element.clientWidth), data, element);
    const redraw = () => {
      plot.destroy();
      plot = new Plot(optionsOf(props, element.clientWidth), data, element);
    };
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: props.height ?? 160 }),
    );
    resized.observe(element);
    const themed = new MutationObserver(redraw);
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", redraw);
    return () => {
      resized.disconnect();
      themed.disconnect();
      system.removeEventListener("change", redraw);
      plot.destroy();
    };
  }, [props]);
  return <div ref={box} className="w-full overflow-hidden" />;
}
