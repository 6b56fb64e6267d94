import { useNavigate, useSearch } from "@tanstack/react-router";
import { Boxes, SearchX } from "lucide-react";
import { lazy, Suspense, useMemo } from "react";
import { useApi } from "../../api/query.ts";
import { pruned } from "../../app/pruned-search.ts";
import { moneyToDraw } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { FilterChip } from "../../parts/filter-chip.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Pill } from "../../parts/pill.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { readSort, writeSort } from "../../parts/sort-text.ts";
import { useWords } from "../../words/language-provider.tsx";
import { type Filter, type Model, matching, offersOf } from "./model.ts";
import { ContextCell, DialectsCell, GroupsCell, NameCell, PriceCell } from "./model-cells.tsx";
import { words } from "./words.ts";

const ModelPanel = lazy(async () => ({ default: (await import("./model-panel.tsx")).ModelPanel }));

type Part = "input" | "output" | "cache_read";

function useColumns(group: string | undefined): Column<Model>[] {
  const say = useWords(words);
  return useMemo(() => {
    const cheapest = (model: Model, part: Part) => {
      const first = offersOf(model, group)[0];
      return first === undefined ? null : moneyToDraw(first.price[part]);
    };
    const price = (part: Part, header: string): Column<Model> => ({
      id: part,
      header,
      align: "right",
      card: "hide",
      sort: model => cheapest(model, part),
      cell: model => <PriceCell offers={offersOf(model, group)} part={part} />,
    });
    return [
      {
        id: "name",
        header: say("model"),
        card: "title",
        sort: model => model.name,
        cell: model => <NameCell row={model} />,
      },
      {
        id: "state",
        header: say("state"),
        card: "aside",
        sort: model => (model.is_served ? 0 : 1),
        cell: model => (
          <span className="inline-block phone:mt-1">
            <Pill tone={model.is_served ? "ok" : "warn"}>
              {say(model.is_served ? "served" : "notServed")}
            </Pill>
          </span>
        ),
      },
      { id: "dialects", header: say("dialects"), cell: model => <DialectsCell row={model} /> },
      {
        id: "context",
        header: say("context"),
        descFirst: true,
        sort: model => model.context_tokens,
        cell: model => <ContextCell row={model} />,
      },
      {
        id: "groups",
        header: say("groups"),
        card: "foot",
        cell: model => <GroupsCell offers={offersOf(model, group)} />,
      },
      price("input", say("input")),
      price("cache_read", say("cached")),
      price("output", say("output")),
    ];
  }, [say, group]);
}

export function Page() {
  const say = useWords(words);
  const search = useSearch({ from: "/signed-in/models" });
  const navigate = useNavigate({ from: "/models" });
  const models = useApi("GET /models");
  const change = (part: Record<string, string | undefined>) =>
    void navigate({ search: before => pruned<typeof search>({ ...before, ...part }), replace: true });
  const all = models.data?.models;
  const columns = useColumns(search.group);
  const rows = useMemo(() => (all === undefined ? undefined : matching(all, search)), [all, search]);
  const open = all?.find(({ name }) => name === search.model);
  const initialSort = readSort(search.sort);
  return (
    <>
      <PageHeader title={say("title")} description={say("description")} />
      <div className="panel">
        {all?.length === 0 ? null : (
          <Tools models={all ?? []} shown={rows?.length} search={search} onChange={change} />
        )}
        <DataTable
          label={say("list")}
          columns={columns}
          rows={rows}
          getId={model => model.name}
          onOpen={model => change({ model: model.name === search.model ? undefined : model.name })}
          openId={search.model ?? null}
          error={models.error}
          onRetry={() => void models.refetch()}
          {...(initialSort === undefined ? {} : { initialSort })}
          onSort={sorting => change({ sort: writeSort(sorting) })}
          footer={rows === undefined || rows.length === 0 ? null : <Legend />}
          empty={
            <Empty
              isFiltered={(all?.length ?? 0) > 0}
              onClear={() => change({ q: undefined, group: undefined })}
            />
          }
        />
      </div>
      {open === undefined ? null : (
        <Suspense fallback={null}>
          <ModelPanel model={open} onClose={() => change({ model: undefined })} />
        </Suspense>
      )}
    </>
  );
}

function Legend() {
  const say = useWords(words);
  const dot = (
    <i
      key="dot"
      aria-label="●"
      role="img"
      className="inline-block size-1.5 rounded-full bg-accent align-middle"
    />
  );
  return (
    <p className="border-line border-t px-3.5 py-2.5 text-ink-3 text-xs">{say.rich("legend", { dot })}</p>
  );
}

type ToolsProps = {
  models: readonly Model[];
  shown: number | undefined;
  search: Filter;
  onChange: (part: Filter) => void;
};

function Tools({ models, shown, search, onChange }: ToolsProps) {
  const say = useWords(words);
  const groups = [
    ...new Map(models.flatMap(model => model.groups.map(({ id, name }) => [id, name] as const))),
  ];
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-2.5">
      <div className="min-w-48 flex-1 phone:w-full phone:flex-none">
        <SearchInput
          label={say("find")}
          value={search.q ?? ""}
          onChange={q => onChange({ q: q || undefined })}
        />
      </div>
      {shown === undefined ? null : (
        <span className="mr-1 text-ink-3 text-sm phone:order-last phone:ml-auto" aria-live="polite">
          {say("count", { count: shown })}
        </span>
      )}
      <FilterChip
        name={say("group")}
        value={search.group ?? null}
        onChange={group => onChange({ group: group ?? undefined })}
        options={groups.map(([value, label]) => ({ value, label }))}
      />
    </div>
  );
}

function Empty({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const say = useWords(words);
  if (!isFiltered) {
    return (
      <EmptyState icon={<Boxes size={20} aria-hidden />} title={say("emptyTitle")}>
        {say("emptyText")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<SearchX size={20} aria-hidden />}
      title={say("emptyMatch")}
      action={<Button onClick={onClear}>{say("clear")}</Button>}
    >
      {say("emptyMatchText")}
    </EmptyState>
  );
}
