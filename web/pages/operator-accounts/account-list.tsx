import { type ReactNode, useMemo } from "react";
import { moneyToDraw } from "../../format/money.ts";
import { Checkbox } from "../../parts/checkbox.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Money } from "../../parts/money.tsx";
import { Pill } from "../../parts/pill.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { readSort, writeSort } from "../../parts/sort-text.ts";
import { ACTIONS } from "../../parts/table-column.ts";
import { Tag } from "../../parts/tag.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Person } from "./account-reads.ts";
import type { Open } from "./open-dialog.tsx";
import { useAccountsSearch } from "./use-accounts-search.ts";
import { words } from "./words.ts";

type Props = {
  rows: readonly Person[] | undefined;
  error: unknown;
  onRetry: () => void;
  onShow: (open: Open) => void;
  selected: ReadonlySet<string>;
  onSelect: (person: Person, isSelected: boolean) => void;
  empty: ReactNode;
};

type Acting = Pick<Props, "onShow" | "selected" | "onSelect"> & { onOpen: (person: Person) => void };

const DEFAULT_SORT = { id: "seen", desc: true };

function useFacts(): Column<Person>[] {
  const say = useWords(words);
  return useMemo(
    () => [
      {
        id: "person",
        header: say("person"),
        card: "title",
        sort: person => person.email,
        cell: person => <span className="break-all font-medium">{person.email}</span>,
      },
      {
        id: "role",
        header: say("role"),
        sort: person => person.role,
        cell: person =>
          person.role === "operator" ? (
            <Tag>{say("operator")}</Tag>
          ) : (
            <span className="text-ink-2">{say("holder")}</span>
          ),
      },
      {
        id: "state",
        header: say("state"),
        sort: person => (person.enabled ? 0 : 1),
        cell: person => (
          <Pill tone={person.enabled ? "ok" : "quiet"}>{say(person.enabled ? "enabled" : "disabled")}</Pill>
        ),
      },
      {
        id: "balance",
        header: say("balance"),
        align: "right",
        descFirst: true,
        sort: person => moneyToDraw(person.balance_usd),
        cell: person => <Money usd={person.balance_usd} decimals={4} />,
      },
      {
        id: "seen",
        header: say("seen"),
        descFirst: true,
        sort: person => person.last_seen_at,
        cell: person =>
          person.last_seen_at === null ? (
            <span className="text-ink-3">{say("never")}</span>
          ) : (
            <RelativeTime at={person.last_seen_at} />
          ),
      },
      {
        id: "since",
        header: say("since"),
        descFirst: true,
        sort: person => person.created_at,
        cell: person => (
          <span className="text-ink-2">
            <ExactTime at={person.created_at} form="date" />
          </span>
        ),
      },
    ],
    [say],
  );
}

function useColumns({ onShow, onOpen, selected, onSelect }: Acting): Column<Person>[] {
  const say = useWords(words);
  const facts = useFacts();
  return useMemo(
    () => [
      {
        id: "select",
        header: say("select"),
        hideHeader: true,
        card: "foot",
        width: "44px",
        cell: person => (
          <Checkbox
            checked={selected.has(person.id)}
            onChange={isChosen => onSelect(person, isChosen)}
            name={say("selectOne", { email: person.email })}
            label={
              <span aria-hidden className="text-ink-2 text-sm md:hidden">
                {say("select")}
              </span>
            }
          />
        ),
      },
      ...facts,
      {
        ...ACTIONS,
        header: say("actions"),
        cell: person => (
          <Menu
            label={say("moreFor", { email: person.email })}
            entries={[
              { label: say("open"), onSelect: () => onOpen(person) },
              { label: say("move"), onSelect: () => onShow({ what: "money", people: [person] }) },
              { label: say("givePlan"), onSelect: () => onShow({ what: "subscribe", people: [person] }) },
              { label: say("makeReset"), onSelect: () => onShow({ what: "reset", person }) },
              "line",
              person.enabled
                ? {
                    label: say("disable"),
                    tone: "bad",
                    onSelect: () => onShow({ what: "state", people: [person], enabled: false }),
                  }
                : {
                    label: say("enable"),
                    onSelect: () => onShow({ what: "state", people: [person], enabled: true }),
                  },
            ]}
          />
        ),
      },
    ],
    [say, facts, onShow, onOpen, selected, onSelect],
  );
}

export function AccountList({ rows, error, onRetry, empty, ...acting }: Props) {
  const say = useWords(words);
  const { search, change } = useAccountsSearch();
  const onOpen = useMemo(
    () => (person: Person) => change({ account: person.id, part: undefined }, true),
    [change],
  );
  const columns = useColumns({ ...acting, onOpen });
  return (
    <DataTable
      label={say("listLabel")}
      columns={columns}
      rows={rows}
      getId={person => person.id}
      onOpen={onOpen}
      openId={search.account ?? null}
      error={error}
      onRetry={onRetry}
      empty={empty}
      initialSort={readSort(search.sort) ?? DEFAULT_SORT}
      onSort={sorting => change({ sort: writeSort(sorting) })}
    />
  );
}
