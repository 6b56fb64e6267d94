const TICKS_MAX = 6;

/** What stands under a chart: every few, each under the middle of its bar. */
export function ChartTicks({ ticks }: { ticks: readonly string[] }) {
  const every = Math.max(1, Math.ceil(ticks.length / TICKS_MAX));
  const shown = ticks.map((text, at) => ({ text, at })).filter(({ at }) => at % every === 0);
  return (
    <div aria-hidden className="relative mt-1 h-4 overflow-hidden text-[11px] text-ink-3">
      {shown.map(({ text, at }) => (
        <span
          key={at}
          className={at === 0 ? "absolute left-0" : "absolute -translate-x-1/2 whitespace-nowrap"}
          style={at === 0 ? undefined : { left: `${((at + 0.5) / ticks.length) * 100}%` }}
        >
          {text}
        </span>
      ))}
    </div>
  );
}
