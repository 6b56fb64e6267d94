import { type ReactNode, useMemo } from "react";
import { formatMoneyShort, moneyToDraw } from "../../format/money.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Menu } from "../../parts/menu.tsx";
import { readSort, writeSort } from "../../parts/sort-text.ts";
import { ACTIONS } from "../../parts/table-column.ts";
import { Tag } from "../../parts/tag.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Open } from "./open-dialog.tsx";
import type { Plan } from "./plan-reads.ts";
import { usePlansSearch } from "./use-plans-search.ts";
import { words } from "./words.ts";

type Props = {
  rows: readonly Plan[] | undefined;
  error: unknown;
  onRetry: () => void;
  onShow: (open: Open) => void;
  empty: ReactNode;
};

function useFacts(): Column<Plan>[] {
  const say = useWords(words);
  return useMemo(
    () => [
      {
        id: "name",
        header: say("name"),
        card: "title",
        sort: plan => plan.name,
        cell: plan => (
          <span dir="auto" className="font-medium">
            {plan.name}
          </span>
        ),
      },
      {
        id: "quota",
        header: say("quota"),
        align: "right",
        descFirst: true,
        sort: plan => moneyToDraw(plan.quota_usd),
        cell: plan => formatMoneyShort(plan.quota_usd, say.language, 2),
      },
      { id: "window", header: say("window"), cell: plan => say(plan.window) },
      {
        id: "groups",
        header: say("groups"),
        cell: plan => (
          <span className="flex max-w-80 flex-wrap gap-1">
            {plan.groups.map(name => (
              <Tag key={name}>{name}</Tag>
            ))}
          </span>
        ),
      },
      {
        id: "holders",
        header: say("holders"),
        descFirst: true,
        sort: plan => plan.holders.length,
        cell: plan =>
          plan.holders.length === 0 ? (
            <span className="text-ink-3">{say("nobody")}</span>
          ) : (
            say("accounts", { count: plan.holders.length })
          ),
      },
    ],
    [say],
  );
}

function useColumns(onOpen: (plan: Plan) => void, onShow: Props["onShow"]): Column<Plan>[] {
  const say = useWords(words);
  const facts = useFacts();
  return useMemo(
    () => [
      ...facts,
      {
        ...ACTIONS,
        header: say("actions"),
        cell: plan => (
          <Menu
            label={say("moreFor", { name: plan.name })}
            entries={[
              { label: say("open"), onSelect: () => onOpen(plan) },
              { label: say("give"), onSelect: () => onShow({ what: "give", plan }) },
              { label: say("edit"), onSelect: () => onShow({ what: "form", plan }) },
              "line",
              { label: say("remove"), tone: "bad", onSelect: () => onShow({ what: "remove", plan }) },
            ]}
          />
        ),
      },
    ],
    [say, facts, onOpen, onShow],
  );
}

export function PlanList({ rows, error, onRetry, onShow, empty }: Props) {
  const say = useWords(words);
  const { search, change } = usePlansSearch();
  const onOpen = useMemo(() => (plan: Plan) => change({ plan: plan.id }, true), [change]);
  const columns = useColumns(onOpen, onShow);
  return (
    <DataTable
      label={say("list")}
      columns={columns}
      rows={rows}
      getId={plan => plan.id}
      onOpen={onOpen}
      openId={search.plan ?? null}
      error={error}
      onRetry={onRetry}
      empty={empty}
      initialSort={readSort(search.sort)}
      onSort={sorting => change({ sort: writeSort(sorting) })}
    />
  );
}
