import { type ReactNode, useCallback, useMemo, useState } from "react";
import { formatCount } from "../../format/number.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ACTIONS } from "../../parts/table-column.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Open } from "./open-dialog.tsx";
import { type Tiers, tiersOf, without } from "./order.ts";
import { placeText } from "./place-text.ts";
import { ActiveCell, ErrorCell, Grip, HealthCell, NameCell, StateCell } from "./upstream-cells.tsx";
import { UpstreamMenu } from "./upstream-menu.tsx";
import type { Upstream } from "./upstream-reads.ts";
import { type Drag, useDrag } from "./use-drag.ts";
import { useOrder } from "./use-order.ts";
import { isNarrowed, useUpstreamsSearch } from "./use-upstreams-search.ts";
import { words } from "./words.ts";

type Props = {
  rows: readonly Upstream[] | undefined;
  /** All there are, whatever the filter. */
  all: readonly Upstream[] | undefined;
  error: unknown;
  onRetry: () => void;
  onShow: (open: Open) => void;
  empty: ReactNode;
};

const NONE: readonly Upstream[] = [];

/** Moving rows, and saying where they are. */
function useMoving(all: readonly Upstream[]) {
  const say = useWords(words);
  const order = useOrder(all);
  const [said, setSaid] = useState("");
  const tiers = useMemo(() => tiersOf(all), [all]);
  const nameOf = useCallback((id: string) => all.find(one => one.id === id)?.name ?? "", [all]);
  const onStep = (step: "taken" | "moved" | "dropped" | "left", { id, place }: Drag) => {
    const name = nameOf(id);
    setSaid(say(step, { name, place: placeText(say, { tiers, id, place, nameOf }) }));
  };
  const { drag, grip } = useDrag({ tiers, onOrder: order, onStep });
  return { drag, grip, said, tiers, order };
}

/** A line where it would stand, or those it would stand with. */
function dropClass(drag: Drag | null, tiers: Tiers, id: string): string | undefined {
  if (drag === null) return undefined;
  if (drag.id === id) return "opacity-50";
  const others = without(tiers, drag.id);
  const at = Math.floor(drag.place / 2);
  if (drag.place % 2 === 1) return others[at]?.includes(id) ? "bg-accent-soft!" : undefined;
  if (others[at]?.[0] === id) return "shadow-[inset_0_2px_0_var(--accent)]";
  const isLast = at === others.length && others.at(-1)?.at(-1) === id;
  return isLast ? "shadow-[inset_0_-2px_0_var(--accent)]" : undefined;
}

function useFacts(): Column<Upstream>[] {
  const say = useWords(words);
  return useMemo(
    () => [
      { id: "name", header: say("upstream"), card: "title", cell: one => <NameCell one={one} /> },
      { id: "state", header: say("state"), cell: one => <StateCell one={one} /> },
      {
        id: "priority",
        header: say("priority"),
        align: "right",
        cell: one => formatCount(one.priority, say.language),
      },
      {
        id: "weight",
        header: say("weight"),
        align: "right",
        cell: one => formatCount(one.weight, say.language),
      },
      { id: "health", header: say("health"), align: "right", cell: one => <HealthCell one={one} /> },
      {
        id: "models",
        header: say("models"),
        align: "right",
        cell: one => formatCount(one.models.length, say.language),
      },
      {
        id: "keys",
        header: say("keys"),
        align: "right",
        cell: one => formatCount(one.credentials.length, say.language),
      },
      { id: "error", header: say("lastError"), cell: one => <ErrorCell one={one} /> },
      { id: "active", header: say("active"), cell: one => <ActiveCell one={one} /> },
    ],
    [say],
  );
}

export function UpstreamList({ rows, all = NONE, error, onRetry, onShow, empty }: Props) {
  const say = useWords(words);
  const { search, change } = useUpstreamsSearch();
  const { drag, grip, said, tiers, order } = useMoving(all);
  const facts = useFacts();
  const isOff = isNarrowed(search) || all.length < 2;
  const open = (one: Upstream) => change({ upstream: one.id, part: undefined }, true);
  const columns: Column<Upstream>[] = [
    {
      id: "grip",
      header: say("order"),
      hideHeader: true,
      card: "foot",
      width: "44px",
      cell: one => <Grip one={one} grip={grip(one.id)} isOff={isOff} />,
    },
    ...facts,
    {
      ...ACTIONS,
      header: say("actions"),
      cell: one => (
        <UpstreamMenu one={one} all={all} tiers={tiers} onOrder={order} onShow={onShow} onOpen={open} />
      ),
    },
  ];
  return (
    <>
      <p className="sr-only" aria-live="assertive">
        {said}
      </p>
      <DataTable
        label={say("listLabel")}
        columns={columns}
        rows={rows}
        getId={one => one.id}
        onOpen={open}
        openId={search.upstream ?? null}
        error={error}
        onRetry={onRetry}
        empty={empty}
        rowClass={one => dropClass(drag, tiers, one.id)}
        footer={
          rows === undefined ? null : (
            <p className="border-line border-t px-3.5 py-2.5 text-ink-3 text-xs">
              {say(isNarrowed(search) ? "orderOff" : "orderHow")}
            </p>
          )
        }
      />
    </>
  );
}
