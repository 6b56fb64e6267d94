import { useNavigate } from "@tanstack/react-router";
import { KeyRound, Plus, SearchX } from "lucide-react";
import { useMemo } from "react";
import { moneyToDraw } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FilterChip } from "../../parts/filter-chip.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { readSort, writeSort } from "../../parts/sort-text.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Key } from "./draft.ts";
import { KeyActions } from "./key-actions.tsx";
import { GroupCell, LastUsedCell, LimitsCell, NameCell, SpentCell } from "./key-cells.tsx";
import { isFiltered, matching } from "./matching.ts";
import { StateCell, shownState } from "./state-cell.tsx";
import { type KeysSearch, type Shown, useKeysSearch } from "./use-search.ts";
import { words } from "./words.ts";

type Props = {
  keys: readonly Key[] | undefined;
  error: unknown;
  onRetry: () => void;
};

const STATES = ["active", "disabled", "expired", "deleted"] as const;

function useColumns(onShow: (what: Shown, key: Key) => void): Column<Key>[] {
  const say = useWords(words);
  return useMemo(
    () => [
      {
        id: "name",
        header: say("name"),
        card: "title",
        sort: key => key.name,
        cell: key => <NameCell row={key} />,
      },
      {
        id: "group",
        header: say("group"),
        sort: key => key.group.name,
        cell: key => <GroupCell row={key} />,
      },
      {
        id: "state",
        header: say("state"),
        card: "aside",
        sort: key => shownState(key),
        cell: key => <StateCell row={key} />,
      },
      {
        id: "spent",
        header: say("spent"),
        descFirst: true,
        sort: key => moneyToDraw(key.spent_usd),
        cell: key => <SpentCell row={key} />,
      },
      { id: "limits", header: say("limits"), cell: key => <LimitsCell row={key} /> },
      {
        id: "used",
        header: say("lastUsed"),
        descFirst: true,
        sort: key => (key.last_used === null ? null : Date.parse(key.last_used.at)),
        cell: key => <LastUsedCell row={key} />,
      },
      {
        id: "actions",
        header: say("actions"),
        hideHeader: true,
        align: "right",
        card: "foot",
        cell: key => <KeyActions row={key} onShow={onShow} />,
      },
    ],
    [say, onShow],
  );
}

export function KeysList({ keys, error, onRetry }: Props) {
  const say = useWords(words);
  const navigate = useNavigate();
  const { search, filter, show } = useKeysSearch();
  const onShow = useMemo(() => (what: Shown, key: Key) => show(what, key.id), [show]);
  const columns = useColumns(onShow);
  const rows = useMemo(() => (keys === undefined ? undefined : matching(keys, search)), [keys, search]);
  const initialSort = readSort(search.sort);
  const open = (key: Key) => {
    if (key.state === "deleted") void navigate({ to: "/usage", search: { key: key.id } });
    else onShow(key.state === "active" ? "use" : "edit", key);
  };
  return (
    <div className="panel">
      {keys?.length === 0 ? null : <Tools keys={keys ?? []} shown={rows?.length ?? null} />}
      <DataTable
        label={say("list")}
        columns={columns}
        rows={rows}
        getId={key => key.id}
        onOpen={open}
        error={error}
        onRetry={onRetry}
        {...(initialSort === undefined ? {} : { initialSort })}
        onSort={sorting => filter({ sort: writeSort(sorting) })}
        empty={<Empty keys={keys ?? []} search={search} />}
      />
    </div>
  );
}

function Tools({ keys, shown }: { keys: readonly Key[]; shown: number | null }) {
  const say = useWords(words);
  const { search, filter } = useKeysSearch();
  const groups = [...new Map(keys.map(({ group }) => [group.id, group.name]))];
  const whole = keys.filter(({ state }) => state !== "deleted").length;
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-2.5">
      <div className="min-w-48 flex-1 phone:w-full phone:flex-none">
        <SearchInput
          label={say("find")}
          value={search.q ?? ""}
          onChange={q => filter({ q: q || undefined })}
        />
      </div>
      {shown === null ? null : (
        <span className="mr-1 text-ink-3 text-sm phone:order-last phone:ml-auto" aria-live="polite">
          {isFiltered(search) && shown !== whole
            ? say("countOf", { shown, count: whole })
            : say("count", { count: shown })}
        </span>
      )}
      <FilterChip
        name={say("state")}
        value={search.state ?? null}
        onChange={state => filter({ state: state ?? undefined })}
        options={STATES.map(value => ({ value, label: say(value) }))}
      />
      {groups.length < 2 && search.group === undefined ? null : (
        <FilterChip
          name={say("group")}
          value={search.group ?? null}
          onChange={group => filter({ group: group ?? undefined })}
          options={groups.map(([value, label]) => ({ value, label }))}
        />
      )}
    </div>
  );
}

function Empty({ keys, search }: { keys: readonly Key[]; search: KeysSearch }) {
  const say = useWords(words);
  const { filter, show } = useKeysSearch();
  if (isFiltered(search)) {
    const isDeleted = search.state === "deleted" && search.q === undefined && search.group === undefined;
    return (
      <EmptyState
        icon={<SearchX size={20} aria-hidden />}
        title={say(isDeleted ? "emptyDeleted" : "emptyMatch")}
        action={
          <Button onClick={() => filter({ q: undefined, state: undefined, group: undefined })}>
            {say("clearFilters")}
          </Button>
        }
      >
        {say(isDeleted ? "emptyDeletedText" : "emptyMatchText")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<KeyRound size={20} aria-hidden />}
      title={say("emptyTitle")}
      action={
        <>
          <Button tone="primary" icon={<Plus size={16} aria-hidden />} onClick={() => show("create")}>
            {say("create")}
          </Button>
          {keys.length === 0 ? null : (
            <Button onClick={() => filter({ state: "deleted" })}>{say("deleted")}</Button>
          )}
        </>
      }
    >
      {say("emptyText")}
    </EmptyState>
  );
}
