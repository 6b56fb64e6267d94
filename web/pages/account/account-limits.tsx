import { formatMoneyShort } from "../../format/money.ts";
import { formatCount } from "../../format/number.ts";
import { Panel } from "../../parts/panel.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Account } from "./account.ts";
import { words } from "./words.ts";

/** What the operator allows the account as a whole; nothing where that is no limit. */
export function AccountLimits({ limits }: { limits: Account["limits"] }) {
  const say = useWords(words);
  const count = (value: number | null) => (value === null ? null : formatCount(value, say.language));
  const amount = (usd: string | null) => (usd === null ? null : formatMoneyShort(usd, say.language, 2));
  const set = [
    { word: "perMinute", value: count(limits.requests_per_minute) },
    { word: "tokensPerMinute", value: count(limits.tokens_per_minute) },
    { word: "atOnce", value: count(limits.concurrency) },
    { word: "perDay", value: amount(limits.spend_per_day_usd) },
    { word: "perWeek", value: amount(limits.spend_per_week_usd) },
    { word: "perMonth", value: amount(limits.spend_per_month_usd) },
  ] as const;
  const shown = set.filter(({ value }) => value !== null);
  if (shown.length === 0) return null;
  return (
    <Panel title={say("limitsTitle")} description={say("limitsText")} className="lg:col-span-2">
      <dl className="flex flex-wrap gap-x-10 gap-y-3">
        {shown.map(({ word, value }) => (
          <div key={word}>
            <dt className="text-ink-3 text-xs">{say(word)}</dt>
            <dd className="font-medium tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}
