import { compareMoney, formatMoney, formatMoneyShort, moneyToDraw } from "../../format/money.ts";
import { formatTime } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { Part } from "../../parts/facts.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Pill } from "../../parts/pill.tsx";
import { Tag } from "../../parts/tag.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Detail, Subscription } from "./account-reads.ts";
import { changeWords } from "./change-words.ts";
import type { Open } from "./open-dialog.tsx";
import { panelWords } from "./panel-words.ts";

type Props = { detail: Detail; onShow: (open: Open) => void };

export function PanelSubscriptions({ detail, onShow }: Props) {
  const say = useWords(panelWords);
  const { account, subscriptions } = detail;
  return (
    <Part
      title={say("subscriptions")}
      action={
        <Button size="sm" onClick={() => onShow({ what: "subscribe", people: [account] })}>
          {say("givePlan")}
        </Button>
      }
    >
      {subscriptions.length === 0 ? (
        <p className="text-ink-2">{say("noSubscriptions")}</p>
      ) : (
        <ul className="rounded-lg border border-line">
          {subscriptions.map(one => (
            <Row key={one.id} subscription={one} detail={detail} onShow={onShow} />
          ))}
        </ul>
      )}
    </Part>
  );
}

function Row({ subscription: one, detail, onShow }: Props & { subscription: Subscription }) {
  const say = useWords(panelWords);
  const change = useWords(changeWords);
  const { language } = say;
  const { account } = detail;
  const quota = moneyToDraw(one.quota_usd);
  const share = quota > 0 ? 1 - moneyToDraw(one.left_usd) / quota : 1;
  const left = say("leftOf", {
    left: formatMoney(one.left_usd, language, 2),
    quota: formatMoney(one.quota_usd, language, 2),
  });
  return (
    <li className="flex items-center gap-3 border-line border-b px-3.5 py-2.5 last:border-0">
      <div className="grid min-w-0 flex-1 gap-1">
        <span className="flex flex-wrap items-center gap-2">
          <span dir="auto" className="min-w-0 break-words font-medium">
            {one.plan}
          </span>
          <Tag>{`${formatMoneyShort(one.quota_usd, language, 2)} ${change(one.window)}`}</Tag>
          {one.is_over ? <Pill tone="quiet">{say("ended")}</Pill> : null}
          {!one.is_over && compareMoney(one.left_usd, "0") <= 0 ? (
            <Pill tone="bad">{say("usedUp")}</Pill>
          ) : null}
        </span>
        {one.is_over ? null : <Meter share={share} label={left} className="w-full!" />}
        <span className="flex flex-wrap gap-x-3 text-ink-3 text-xs">
          {one.is_over ? null : <span className="tabular-nums">{left}</span>}
          <span>{say("forGroups", { groups: one.groups.join(", ") })}</span>
          {one.until === null ? null : (
            <span>{say("until", { when: formatTime(one.until, language, "date") })}</span>
          )}
        </span>
      </div>
      {one.is_over ? null : (
        <Menu
          label={say("moreFor", { name: one.plan })}
          entries={[
            {
              label: say("moveEnd"),
              onSelect: () => onShow({ what: "subscribe", people: [account], moved: one }),
            },
            {
              label: say("end"),
              tone: "bad",
              onSelect: () => onShow({ what: "unsubscribe", person: account, subscription: one }),
            },
          ]}
        />
      )}
    </li>
  );
}
