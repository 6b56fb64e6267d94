type Entry = { id: string; name: string; colour: string };

export function ChartLegend({ entries }: { entries: readonly Entry[] }) {
  return (
    <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-ink-2 text-xs">
      {entries.map(({ id, name, colour }) => (
        <li key={id} className="flex min-w-0 max-w-56 items-center gap-1.5">
          <i aria-hidden className="size-2 shrink-0 rounded-[2px]" style={{ background: colour }} />
          <span className="truncate">{name}</span>
        </li>
      ))}
    </ul>
  );
}
