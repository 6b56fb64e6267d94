import { formatMoney, formatMoneyShort } from "../../format/money.ts";
import { formatCount } from "../../format/number.ts";
import { Button } from "../../parts/button.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { Facts, Part } from "../../parts/facts.tsx";
import { Pill } from "../../parts/pill.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { Tag } from "../../parts/tag.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Detail } from "./account-reads.ts";
import type { Open } from "./open-dialog.tsx";
import { PanelSubscriptions } from "./panel-subscriptions.tsx";
import { panelWords } from "./panel-words.ts";

type Props = { detail: Detail; onShow: (open: Open) => void };

export function PanelOverview({ detail, onShow }: Props) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <Balance detail={detail} onShow={onShow} />
      <PanelSubscriptions detail={detail} onShow={onShow} />
      <Limits detail={detail} onShow={onShow} />
      <Access detail={detail} onShow={onShow} />
    </div>
  );
}

function Balance({ detail, onShow }: Props) {
  const say = useWords(panelWords);
  const { language } = say;
  const { account, held_usd, spent_usd } = detail;
  return (
    <Part
      title={say("balance")}
      action={
        <Button size="sm" tone="primary" onClick={() => onShow({ what: "money", people: [account] })}>
          {say("move")}
        </Button>
      }
    >
      <Facts
        facts={[
          { name: say("balanceNow"), value: formatMoney(account.balance_usd, language) },
          { name: say("held"), value: formatMoney(held_usd, language) },
          { name: say("spent"), value: formatMoney(spent_usd, language) },
        ]}
      />
    </Part>
  );
}

function Limits({ detail, onShow }: Props) {
  const say = useWords(panelWords);
  const { language } = say;
  const { limits } = detail;
  const count = (value: number | null) => (value === null ? null : formatCount(value, language));
  const amount = (usd: string | null) => (usd === null ? null : formatMoneyShort(usd, language, 2));
  const all = [
    { name: say("requestsPerMinute"), value: count(limits.requests_per_minute) },
    { name: say("tokensPerMinute"), value: count(limits.tokens_per_minute) },
    { name: say("atOnce"), value: count(limits.concurrency) },
    { name: say("perDay"), value: amount(limits.spend_per_day_usd) },
    { name: say("perWeek"), value: amount(limits.spend_per_week_usd) },
    { name: say("perMonth"), value: amount(limits.spend_per_month_usd) },
  ];
  const set = all.filter(({ value }) => value !== null);
  return (
    <Part
      title={say("limits")}
      action={
        <Button size="sm" onClick={() => onShow({ what: "limits", detail })}>
          {say("editLimits")}
        </Button>
      }
    >
      {set.length === 0 ? <p className="text-ink-2">{say("noLimits")}</p> : <Facts facts={set} />}
    </Part>
  );
}

function Access({ detail, onShow }: Props) {
  const say = useWords(panelWords);
  const { account, sessions, has_password, has_second_factor } = detail;
  return (
    <Part
      title={say("access")}
      action={
        <Button size="sm" onClick={() => onShow({ what: "role", person: account })}>
          {say("changeRole")}
        </Button>
      }
    >
      <Facts
        facts={[
          {
            name: say("role"),
            value: account.role === "operator" ? <Tag>{say("operator")}</Tag> : say("holder"),
          },
          {
            name: say("state"),
            value: (
              <Pill tone={account.enabled ? "ok" : "quiet"}>
                {say(account.enabled ? "enabled" : "disabled")}
              </Pill>
            ),
          },
          { name: say("sessions"), value: formatCount(sessions, say.language) },
          { name: say("password"), value: say(has_password ? "isSet" : "isNotSet") },
          { name: say("secondFactor"), value: say(has_second_factor ? "isOn" : "isOff") },
          {
            name: say("seen"),
            value: account.last_seen_at === null ? say("never") : <RelativeTime at={account.last_seen_at} />,
          },
          { name: say("since"), value: <ExactTime at={account.created_at} form="date" /> },
        ]}
      />
    </Part>
  );
}
