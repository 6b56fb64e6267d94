import { useNow } from "../../format/clock.ts";
import { addMoney, compareMoney, formatMoney, formatMoneyShort, moneyToDraw } from "../../format/money.ts";
import { formatRelative, formatTime } from "../../format/time.ts";
import { Meter } from "../../parts/meter.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Pill } from "../../parts/pill.tsx";
import { Tag } from "../../parts/tag.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Account } from "./account.ts";
import { words } from "./words.ts";

type Subscription = Account["subscriptions"][number];

const WINDOWS = {
  day: "windowDay",
  week: "windowWeek",
  month: "windowMonth",
  total: "windowTotal",
} as const;

/** What each of them has left, and when it fills again. */
export function Subscriptions({ subscriptions }: { subscriptions: readonly Subscription[] }) {
  const say = useWords(words);
  return (
    <Panel title={say("plansTitle")} className="lg:col-span-2" flush>
      {subscriptions.length === 0 ? (
        <p className="px-4 pb-4 text-ink-2">{say("plansNoneText")}</p>
      ) : (
        <ul>
          {subscriptions.map(one => (
            <Plan key={one.id} subscription={one} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Plan({ subscription: one }: { subscription: Subscription }) {
  const say = useWords(words);
  const { language } = say;
  const spent = addMoney([one.quota_usd, `-${one.left_usd}`]);
  const share = moneyToDraw(one.quota_usd) > 0 ? moneyToDraw(spent) / moneyToDraw(one.quota_usd) : 1;
  const exact = { spent: formatMoney(spent, language), quota: formatMoney(one.quota_usd, language, 2) };
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)] items-center gap-x-6 gap-y-2 border-line border-t px-4 py-3 phone:grid-cols-[minmax(0,1fr)]">
      <div className="grid min-w-0 gap-0.5">
        <span className="flex min-w-0 flex-wrap items-center gap-2">
          <span dir="auto" className="min-w-0 truncate font-medium">
            {one.plan}
          </span>
          <Tag>{`${formatMoneyShort(one.quota_usd, language, 2)} ${say(WINDOWS[one.window])}`}</Tag>
          <State subscription={one} />
        </span>
        <span className="text-ink-3 text-xs">
          {say("forGroups", { count: one.groups.length, groups: one.groups.join(", ") })}
          {one.until === null ? "" : ` · ${say("until", { when: formatTime(one.until, language, "date") })}`}
        </span>
      </div>
      {one.is_over ? null : (
        <div className="grid gap-1.5">
          <Meter share={share} label={say("spentOf", exact)} className="w-full!" />
          <span className="flex flex-wrap justify-between gap-x-3 text-sm">
            <span className="tabular-nums">
              {say("leftOf", {
                left: formatMoney(one.left_usd, language, 2),
                quota: formatMoney(one.quota_usd, language, 2),
              })}
            </span>
            <span className="text-ink-3">
              {one.resets_at === null ? say("neverResets") : <Resets at={one.resets_at} />}
            </span>
          </span>
        </div>
      )}
    </li>
  );
}

function Resets({ at }: { at: string }) {
  const say = useWords(words);
  const now = useNow(at);
  return (
    <time dateTime={at} title={formatTime(at, say.language)}>
      {say("resets", { when: formatRelative(at, now, say.language) })}
    </time>
  );
}

function State({ subscription }: { subscription: Subscription }) {
  const say = useWords(words);
  if (subscription.is_over) return <Pill tone="quiet">{say("ended")}</Pill>;
  if (compareMoney(subscription.left_usd, "0") <= 0) return <Pill tone="bad">{say("usedUp")}</Pill>;
  return null;
}
