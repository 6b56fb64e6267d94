import { useMemo } from "react";
import type { Column } from "../../parts/data-table.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Row } from "./log.ts";
import {
  CostCell,
  DurationCell,
  KeyCell,
  ModelCell,
  StatusCell,
  TimeCell,
  TokensCell,
} from "./row-cells.tsx";
import type { UsageColumns } from "./usage-table.tsx";
import { words } from "./words.ts";

/** Left out where there is no room. */
const ON_RECEIPT: readonly string[] = ["key", "duration"];

export function useColumns(): UsageColumns<Row> {
  const say = useWords(words);
  return useMemo(() => {
    const columns = (isNarrow: boolean): Column<Row>[] => [
      { id: "time", header: say("time"), card: "hide", cell: row => <TimeCell row={row} /> },
      { id: "key", header: say("keyAndTool"), cell: row => <KeyCell row={row} /> },
      {
        id: "model",
        header: say("model"),
        card: "title",
        cell: row => <ModelCell row={row} withKey={isNarrow} />,
      },
      {
        id: "tokens",
        header: say("tokens"),
        align: "right",
        cell: row => <TokensCell row={row} isShort={isNarrow} />,
      },
      { id: "cost", header: say("cost"), align: "right", cell: row => <CostCell row={row} /> },
      {
        id: "duration",
        header: say("duration"),
        align: "right",
        card: "hide",
        cell: row => <DurationCell row={row} />,
      },
      { id: "status", header: say("status"), card: "aside", cell: row => <StatusCell row={row} /> },
    ];
    const narrow = columns(true).filter(({ id }) => !ON_RECEIPT.includes(id));
    return { wide: columns(false), narrow };
  }, [say]);
}
