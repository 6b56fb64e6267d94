import { toolName } from "../../../src/domain/tool-name.ts";
import { formatMoney, moneyToDraw } from "../../format/money.ts";
import { formatCompact } from "../../format/number.ts";
import { Meter } from "../../parts/meter.tsx";
import { Money } from "../../parts/money.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Say } from "../../words/say.ts";
import type { Key } from "./draft.ts";
import { words } from "./words.ts";

const smallClass = "text-ink-3 text-xs";

export function NameCell({ row }: { row: Key }) {
  return (
    <div className="grid min-w-0 gap-px md:max-w-52">
      <span
        dir="auto"
        title={row.name}
        className="truncate text-left font-medium phone:line-clamp-2 phone:whitespace-normal"
      >
        {row.name}
      </span>
      <code className={`${smallClass} whitespace-nowrap`}>{row.preview}</code>
    </div>
  );
}

const BILLING = {
  balance: "billingBalance",
  subscription: "billingSubscription",
  "subscription-first": "billingBoth",
} as const;

export function GroupCell({ row }: { row: Key }) {
  const say = useWords(words);
  return (
    <div className="grid min-w-0 gap-px md:max-w-40">
      <span className="truncate" title={row.group.name}>
        {row.group.name}
      </span>
      <small
        className={`${smallClass} truncate`}
      >{`×${row.group.multiplier} · ${say(BILLING[row.group.billing])}`}</small>
    </div>
  );
}

export function SpentCell({ row }: { row: Key }) {
  const say = useWords(words);
  const { spent_usd: spent, quota_usd: quota } = row;
  if (quota === null) {
    return (
      <span className="whitespace-nowrap">
        <Money usd={spent} decimals={4} /> <span className="text-ink-3">{say("noCap")}</span>
      </span>
    );
  }
  const exact = { spent: formatMoney(spent, say.language), quota: formatMoney(quota, say.language, 2) };
  const share = moneyToDraw(quota) > 0 ? moneyToDraw(spent) / moneyToDraw(quota) : 1;
  return (
    <div>
      <span className="whitespace-nowrap">
        <Money usd={spent} decimals={4} />{" "}
        <span className="text-ink-3">{say("ofQuota", { quota: exact.quota })}</span>
      </span>
      <Meter share={share} label={say("spentOf", exact)} className="mt-[5px]" />
    </div>
  );
}

type Texts = { rates: string[]; spends: string[] };

/** Its own limits: how fast, and how much. */
export function limitTexts({ limits }: Pick<Key, "limits">, say: Say<(typeof words)["en"]>): Texts {
  const rate = (word: "perMinute" | "atOnce" | "tokensPerMinute", number: number | null) =>
    number === null ? [] : [say(word, { count: formatCompact(number, say.language) })];
  const spend = (word: "perDay" | "perWeek" | "perMonth", usd: string | null) =>
    usd === null ? [] : [say(word, { amount: formatMoney(usd, say.language, 2) })];
  return {
    rates: [
      ...rate("perMinute", limits.requests_per_minute),
      ...rate("atOnce", limits.concurrency),
      ...rate("tokensPerMinute", limits.tokens_per_minute),
    ],
    spends: [
      ...spend("perDay", limits.spend_per_day_usd),
      ...spend("perWeek", limits.spend_per_week_usd),
      ...spend("perMonth", limits.spend_per_month_usd),
    ],
  };
}

/** Broken between limits, never within one. */
function Joined({ texts }: { texts: readonly string[] }) {
  return texts.map((text, at) => (
    <span key={text}>
      <span className="whitespace-nowrap">{text}</span>
      {at < texts.length - 1 ? " · " : ""}
    </span>
  ));
}

export function LimitsCell({ row }: { row: Key }) {
  const say = useWords(words);
  const { rates, spends } = limitTexts(row, say);
  return (
    <div className="grid gap-px md:max-w-44">
      {rates.length + spends.length === 0 ? <span className="text-ink-3">{say("none")}</span> : null}
      {rates.length === 0 ? null : (
        <span>
          <Joined texts={rates} />
        </span>
      )}
      {spends.length === 0 ? null : (
        <span className={rates.length === 0 ? "" : smallClass}>
          <Joined texts={spends} />
        </span>
      )}
      {row.running === 0 ? null : (
        <small className="flex items-center gap-1.5 text-accent text-xs">
          <i aria-hidden className="size-1.5 animate-pulse rounded-full bg-current" />
          {say("running", { count: row.running })}
        </small>
      )}
    </div>
  );
}

export function LastUsedCell({ row }: { row: Key }) {
  const say = useWords(words);
  const last = row.last_used;
  if (last === null) return <span className="text-ink-3">{say("never")}</span>;
  const tool = toolName(last.tool) || say("unknownTool");
  return (
    <div className="grid min-w-0 gap-px md:max-w-52">
      <RelativeTime at={last.at} />
      <small className={`${smallClass} truncate`} title={`${last.tool} · ${last.address}`}>
        {`${tool} · ${last.address}`}
      </small>
    </div>
  );
}
