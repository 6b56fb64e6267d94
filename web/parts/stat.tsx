import type { ReactNode } from "react";
import { Skeleton } from "./skeleton.tsx";

type Props = { label: ReactNode; value: ReactNode; detail?: ReactNode; isLoading?: boolean };

/** One figure with its name. Several stand in a `<Stats>`. */
export function Stat({ label, value, detail, isLoading }: Props) {
  return (
    <div className="panel px-4 py-3.5">
      <dt className="text-ink-3 text-xs">{label}</dt>
      <dd>
        <span className="block truncate font-semibold text-2xl tabular-nums tracking-[-0.015em] phone:text-xl">
          {isLoading ? <Skeleton className="my-1 h-[21px] w-24" /> : value}
        </span>
        <span className="block min-h-[18px] text-ink-3 text-xs">
          {isLoading ? <Skeleton className="my-1 h-2.5 w-16" /> : detail}
        </span>
      </dd>
    </div>
  );
}

export function Stats({ children }: { children: ReactNode }) {
  return <dl className="mb-3.5 grid grid-cols-2 gap-3 lg:grid-cols-4">{children}</dl>;
}
