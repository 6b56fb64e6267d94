import { Plus, Ticket } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import type { Answer } from "../../api/client.ts";
import { now } from "../../format/clock.ts";
import { formatMoney } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { Pill, type PillTone } from "../../parts/pill.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { ACTIONS } from "../../parts/table-column.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Open } from "./open-dialog.tsx";
import { words } from "./words.ts";

export type Code = Answer<"GET /operator/codes">["codes"][number];

type State = "open" | "redeemed" | "expired";
const TONES: Record<State, PillTone> = { open: "ok", redeemed: "info", expired: "quiet" };

export function stateOf({ redeemed_at, expires_at }: Code, nowMs: number): State {
  if (redeemed_at !== null) return "redeemed";
  return expires_at !== null && Date.parse(expires_at) <= nowMs ? "expired" : "open";
}

type Props = {
  rows: readonly Code[] | undefined;
  error: unknown;
  onRetry: () => void;
  onShow: (open: Open) => void;
  isNarrowed: boolean;
  footer: ReactNode;
};

function useFacts(): Column<Code>[] {
  const say = useWords(words);
  return useMemo(
    () => [
      { id: "code", header: say("code"), card: "title", cell: row => <code>{row.preview}</code> },
      {
        id: "amount",
        header: say("amount"),
        align: "right",
        cell: row => <span className="tabular-nums">{formatMoney(row.amount_usd, say.language, 2)}</span>,
      },
      {
        id: "state",
        header: say("state"),
        cell: row => {
          const state = stateOf(row, now());
          return <Pill tone={TONES[state]}>{say(state)}</Pill>;
        },
      },
      {
        id: "note",
        header: say("note"),
        cell: row => (
          <span dir="auto" className="line-clamp-2 text-ink-2 md:max-w-56" title={row.note}>
            {row.note === "" ? "–" : row.note}
          </span>
        ),
      },
      {
        id: "redeemed",
        header: say("redeemedBy"),
        cell: row =>
          row.redeemed_at === null ? (
            <span className="text-ink-3">–</span>
          ) : (
            <span className="grid">
              <span className="break-all">{row.redeemed_by}</span>
              <span className="text-ink-3 text-xs">
                <RelativeTime at={row.redeemed_at} />
              </span>
            </span>
          ),
      },
      {
        id: "expires",
        header: say("expires"),
        cell: row =>
          row.expires_at === null ? (
            <span className="text-ink-3">{say("never")}</span>
          ) : (
            <ExactTime at={row.expires_at} form="date" />
          ),
      },
      { id: "made", header: say("made"), cell: row => <RelativeTime at={row.created_at} /> },
    ],
    [say],
  );
}

export function CodeList({ rows, error, onRetry, onShow, isNarrowed, footer }: Props) {
  const say = useWords(words);
  const facts = useFacts();
  const columns = useMemo<Column<Code>[]>(
    () => [
      ...facts,
      {
        ...ACTIONS,
        header: say("actions"),
        cell: row =>
          stateOf(row, now()) === "open" ? (
            <span>
              <Button
                size="sm"
                tone="bad"
                aria-label={say("revokeOne", { code: row.preview })}
                onClick={() => onShow({ what: "revoke", code: row })}
              >
                {say("revoke")}
              </Button>
            </span>
          ) : null,
      },
    ],
    [say, facts, onShow],
  );
  return (
    <DataTable
      label={say("title")}
      columns={columns}
      rows={rows}
      getId={row => row.id}
      error={error}
      onRetry={onRetry}
      footer={footer}
      empty={
        isNarrowed ? (
          <EmptyState icon={<Ticket size={20} aria-hidden />} title={say("emptyState")} />
        ) : (
          <EmptyState
            icon={<Ticket size={20} aria-hidden />}
            title={say("emptyTitle")}
            action={
              <Button
                tone="primary"
                icon={<Plus size={16} aria-hidden />}
                onClick={() => onShow({ what: "make" })}
              >
                {say("make")}
              </Button>
            }
          >
            {say("emptyText")}
          </EmptyState>
        )
      }
    />
  );
}
