import { useMemo } from "react";
import type { Column } from "../../parts/data-table.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { CostCell, StatusCell, TimeCell, TokensCell } from "../usage/row-cells.tsx";
import type { UsageColumns } from "../usage/usage-table.tsx";
import { words as usageWords } from "../usage/words.ts";
import { AccountCell, HouseModelCell, OurCostCell, UpstreamCell } from "./house-cells.tsx";
import type { HouseRow } from "./house-row.ts";
import { words } from "./words.ts";

/** Left out where there is no room. */
const ON_RECEIPT: readonly string[] = ["account", "upstream", "tokens"];

export function useHouseColumns(): UsageColumns<HouseRow> {
  const say = useWords(words);
  const usual = useWords(usageWords);
  return useMemo(() => {
    const columns = (isNarrow: boolean): Column<HouseRow>[] => [
      { id: "time", header: usual("time"), card: "hide", cell: row => <TimeCell row={row} /> },
      { id: "account", header: say("accountAndKey"), cell: row => <AccountCell row={row} /> },
      {
        id: "model",
        header: usual("model"),
        card: "title",
        cell: row => <HouseModelCell row={row} withAccount={isNarrow} />,
      },
      { id: "upstream", header: say("upstream"), cell: row => <UpstreamCell row={row} /> },
      {
        id: "tokens",
        header: usual("tokens"),
        align: "right",
        card: "hide",
        cell: row => <TokensCell row={row} isShort />,
      },
      {
        id: "cost",
        header: say("charged"),
        align: "right",
        cell: row => <CostCell row={row} decimals={6} />,
      },
      { id: "our-cost", header: say("ourCost"), align: "right", cell: row => <OurCostCell row={row} /> },
      { id: "status", header: usual("status"), card: "aside", cell: row => <StatusCell row={row} /> },
    ];
    const narrow = columns(true).filter(({ id }) => !ON_RECEIPT.includes(id));
    return { wide: columns(false), narrow };
  }, [say, usual]);
}
