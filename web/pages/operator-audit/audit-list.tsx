import { ScrollText, SearchX } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import type { Answer } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { isNarrowed } from "./filter.ts";
import { useAuditSearch } from "./use-audit-search.ts";
import { useNames } from "./use-names.ts";
import { words } from "./words.ts";

export type Entry = Answer<"GET /operator/audit">["entries"][number];

type Props = {
  rows: readonly Entry[] | undefined;
  error: unknown;
  onRetry: () => void;
  openId: string | null;
  onOpen: (entry: Entry) => void;
  footer: ReactNode;
};

function useColumns(): Column<Entry>[] {
  const say = useWords(words);
  return useMemo(
    () => [
      {
        id: "time",
        header: say("time"),
        width: "190px",
        cell: entry => <ExactTime at={entry.at} form="date-time-seconds" />,
      },
      { id: "what", header: say("what"), card: "title", cell: entry => <What entry={entry} /> },
      {
        id: "by",
        header: say("by"),
        cell: entry => <Who entry={entry} />,
      },
      { id: "from", header: say("where"), cell: entry => <Where entry={entry} /> },
    ],
    [say],
  );
}

function What({ entry }: { entry: Entry }) {
  const { nounName, actionName } = useNames();
  const fields = entry.fields.map(({ field }) => field).join(", ");
  return (
    <span className="grid min-w-0 gap-px">
      <span className="flex min-w-0 flex-wrap items-baseline gap-x-1.5">
        <span className="text-ink-2">{nounName(entry.noun)}</span>
        <b dir="auto" className="min-w-0 break-all font-medium">
          {entry.name}
        </b>
        <span className="text-ink-2">{actionName(entry.action)}</span>
      </span>
      {fields === "" ? null : <span className="line-clamp-1 text-ink-3 text-xs">{fields}</span>}
    </span>
  );
}

/** By name; the command line and the gateway itself, in words. */
function Who({ entry }: { entry: Entry }) {
  const { throughName } = useNames();
  return (
    <span className="block truncate text-ink-2 md:max-w-56" title={entry.by}>
      {throughName(entry.by)}
    </span>
  );
}

function Where({ entry }: { entry: Entry }) {
  const { throughName } = useNames();
  return (
    <span className="grid md:whitespace-nowrap">
      <span className="text-ink-2">{throughName(entry.through)}</span>
      {entry.address === null ? null : <span className="text-ink-3 text-xs">{entry.address}</span>}
    </span>
  );
}

export function AuditList({ rows, error, onRetry, openId, onOpen, footer }: Props) {
  const say = useWords(words);
  const { search, clear } = useAuditSearch();
  const columns = useColumns();
  return (
    <DataTable
      label={say("list")}
      columns={columns}
      rows={rows}
      getId={entry => String(entry.number)}
      onOpen={onOpen}
      openId={openId}
      error={error}
      onRetry={onRetry}
      skeletonRows={10}
      footer={footer}
      empty={
        isNarrowed(search) ? (
          <EmptyState
            icon={<SearchX size={20} aria-hidden />}
            title={say("emptyMatch")}
            action={<Button onClick={clear}>{say("clearFilters")}</Button>}
          />
        ) : (
          <EmptyState icon={<ScrollText size={20} aria-hidden />} title={say("emptyTitle")}>
            {say("emptyText")}
          </EmptyState>
        )
      }
    />
  );
}
