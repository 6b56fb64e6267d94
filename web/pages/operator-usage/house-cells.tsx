import { memo } from "react";
import { formatMoneyShort } from "../../format/money.ts";
import { Money } from "../../parts/money.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { marginOf } from "../usage/chart-series.ts";
import { RowTime, useDialectText } from "../usage/row-cells.tsx";
import type { HouseRow } from "./house-row.ts";
import { words } from "./words.ts";

const smallClass = "text-ink-3 text-xs";
const NOTHING = "–";
/** Receipts have them all; here three amounts stand side by side. */
const DECIMALS = 6;

/** Whose request it was, by which key, and from which tool. */
export const AccountCell = memo(function AccountCell({ row }: { row: HouseRow }) {
  const from = [row.key.name, row.tool].filter(Boolean).join(" · ");
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-px md:w-40">
      <span title={row.account.email} className="max-w-full truncate">
        {row.account.email}
      </span>
      <small dir="auto" className={`${smallClass} max-w-full truncate text-left`} title={from}>
        {from}
      </small>
    </div>
  );
});

/** The model; under it the account where that has no column of its own. */
export const HouseModelCell = memo(function HouseModelCell({
  row,
  withAccount,
}: {
  row: HouseRow;
  withAccount: boolean;
}) {
  const dialect = useDialectText();
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-px md:w-32">
      <code className="truncate phone:font-medium" title={row.model}>
        {row.model}
      </code>
      <small className={`${smallClass} truncate`} title={row.account.email}>
        <span className="md:hidden">
          <RowTime row={row} />
          {" · "}
        </span>
        {withAccount ? row.account.email : dialect(row)}
      </small>
    </div>
  );
});

/** Who answered, or was asked last, and how many were asked in all. */
export const UpstreamCell = memo(function UpstreamCell({ row }: { row: HouseRow }) {
  const say = useWords(words);
  if (row.upstream === null) return <span className="text-ink-3">{NOTHING}</span>;
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-px md:w-28">
      <span dir="auto" className="max-w-full truncate text-left" title={row.upstream}>
        {row.upstream}
      </span>
      {row.attempts < 2 ? null : (
        <small className="text-warn text-xs">{say("attempts", { count: row.attempts })}</small>
      )}
    </div>
  );
});

function isNothing(usd: string): boolean {
  return /^-?0*(\.0*)?$/.test(usd);
}

/** What the upstream asks for it, and what is left. */
export const OurCostCell = memo(function OurCostCell({ row }: { row: HouseRow }) {
  const say = useWords(words);
  if (row.outcome === "running" || (isNothing(row.our_cost_usd) && isNothing(row.cost_usd))) {
    return <span className="text-ink-3">{NOTHING}</span>;
  }
  const margin = marginOf(row.cost_usd, row.our_cost_usd);
  return (
    <div className="grid gap-px whitespace-nowrap">
      <Money usd={row.our_cost_usd} decimals={DECIMALS} />
      <small className={margin.startsWith("-") ? "text-bad text-xs" : smallClass}>
        {say("marginOf", { amount: formatMoneyShort(margin, say.language, DECIMALS) })}
      </small>
    </div>
  );
});
