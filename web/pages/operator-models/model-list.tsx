import { type ReactNode, useMemo } from "react";
import { moneyToDraw } from "../../format/money.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Menu } from "../../parts/menu.tsx";
import { readSort, writeSort } from "../../parts/sort-text.ts";
import { ACTIONS } from "../../parts/table-column.ts";
import { useWords } from "../../words/language-provider.tsx";
import { GroupsCell, NameCell, ServedCell } from "./model-cells.tsx";
import type { Model, Suggested } from "./model-reads.ts";
import type { Open } from "./open-dialog.tsx";
import { PriceCell } from "./price-cell.tsx";
import { INLINE_PARTS, type InlinePrices, useInlinePrices } from "./use-inline-prices.ts";
import { useModelsSearch } from "./use-models-search.ts";
import { words } from "./words.ts";

type Props = {
  rows: readonly Model[] | undefined;
  suggested: Suggested | null;
  error: unknown;
  onRetry: () => void;
  onShow: (open: Open) => void;
  empty: ReactNode;
};

type Acting = Pick<Props, "suggested" | "onShow"> & { prices: InlinePrices; onOpen: (model: Model) => void };

function useColumns({ suggested, prices, onShow, onOpen }: Acting): Column<Model>[] {
  const say = useWords(words);
  return useMemo(() => {
    const onPrice = (model: Model) => onShow({ what: "price", model });
    return [
      {
        id: "name",
        header: say("model"),
        card: "title",
        sort: model => model.name,
        cell: model => <NameCell model={model} suggested={suggested} onPrice={onPrice} />,
      },
      { id: "served", header: say("servedBy"), cell: model => <ServedCell model={model} /> },
      ...INLINE_PARTS.map(
        (part): Column<Model> => ({
          id: part,
          header: say(part),
          align: "right",
          sort: ({ price }) => (price === null ? null : moneyToDraw(price[part])),
          cell: model => <PriceCell {...{ model, part, prices, suggested }} />,
        }),
      ),
      { id: "groups", header: say("groups"), cell: model => <GroupsCell model={model} /> },
      {
        ...ACTIONS,
        header: say("actions"),
        cell: model => (
          <Menu
            label={say("moreFor", { model: model.name })}
            entries={[
              { label: say("open"), onSelect: () => onOpen(model) },
              { label: say(model.price === null ? "setPrice" : "edit"), onSelect: () => onPrice(model) },
              "line",
              { label: say("remove"), tone: "bad", onSelect: () => onShow({ what: "remove", model }) },
            ]}
          />
        ),
      },
    ];
  }, [say, suggested, prices, onShow, onOpen]);
}

export function ModelList({ rows, suggested, error, onRetry, onShow, empty }: Props) {
  const say = useWords(words);
  const { search, change } = useModelsSearch();
  const prices = useInlinePrices(suggested);
  const onOpen = useMemo(() => (model: Model) => change({ model: model.id }, true), [change]);
  const columns = useColumns({ suggested, prices, onShow, onOpen });
  return (
    <DataTable
      label={say("list")}
      columns={columns}
      rows={rows}
      getId={model => model.id}
      onOpen={onOpen}
      openId={search.model ?? null}
      error={error}
      onRetry={onRetry}
      empty={empty}
      initialSort={readSort(search.sort)}
      onSort={sorting => change({ sort: writeSort(sorting) })}
      rowClass={model => (model.price === null ? "bg-bad-soft/60" : undefined)}
      footer={rows === undefined || rows.length === 0 ? null : <Legend />}
    />
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
