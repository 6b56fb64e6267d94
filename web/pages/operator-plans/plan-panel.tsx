import { useState } from "react";
import { useApi } from "../../api/query.ts";
import { compareMoney, formatMoney, formatMoneyShort, moneyToDraw } from "../../format/money.ts";
import { formatTime } from "../../format/time.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Facts, Part } from "../../parts/facts.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Pill } from "../../parts/pill.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { type Open, OpenDialog } from "./open-dialog.tsx";
import type { Holder, Plan } from "./plan-reads.ts";
import { words } from "./words.ts";

type Props = { id: string; onClose: () => void };

/** One plan beside the list. Its dialogs stand within it, so that Esc closes the one on top alone. */
export function PlanPanel({ id, onClose }: Props) {
  const say = useWords(words);
  const plans = useApi("GET /operator/plans");
  const [open, setOpen] = useState<Open | null>(null);
  const plan = plans.data?.plans.find(one => one.id === id);
  return (
    <SidePanel
      open
      wide
      onClose={onClose}
      title={<span dir="auto">{plan?.name ?? say("name")}</span>}
      {...(plan === undefined ? {} : { footer: <Actions plan={plan} onShow={setOpen} /> })}
    >
      {plan !== undefined ? (
        <Parts plan={plan} onShow={setOpen} />
      ) : plans.data !== undefined ? (
        <EmptyState title={say("missingTitle")}>{say("missingText")}</EmptyState>
      ) : plans.error !== null ? (
        <ErrorState error={plans.error} onRetry={() => void plans.refetch()} />
      ) : (
        <Skeleton className="h-40 w-full" />
      )}
      {open === null ? null : <OpenDialog open={open} onClose={() => setOpen(null)} onRemoved={onClose} />}
    </SidePanel>
  );
}

type PartProps = { plan: Plan; onShow: (open: Open) => void };

function Parts({ plan, onShow }: PartProps) {
  const say = useWords(words);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6">
      <Part
        title={say("about")}
        action={
          <Button size="sm" onClick={() => onShow({ what: "form", plan })}>
            {say("edit")}
          </Button>
        }
      >
        <Facts
          facts={[
            { name: say("quota"), value: formatMoney(plan.quota_usd, say.language, 2) },
            { name: say("window"), value: say(plan.window) },
            { name: say("groups"), value: plan.groups.join(", ") },
          ]}
        />
      </Part>
      <Part
        title={say("whoHas")}
        action={
          <Button size="sm" tone="primary" onClick={() => onShow({ what: "give", plan })}>
            {say("give")}
          </Button>
        }
      >
        {plan.holders.length === 0 ? (
          <p className="text-ink-2">{say("whoNone")}</p>
        ) : (
          <ul className="rounded-lg border border-line">
            {plan.holders.map(holder => (
              <HolderRow key={holder.subscription} plan={plan} holder={holder} onShow={onShow} />
            ))}
          </ul>
        )}
      </Part>
    </div>
  );
}

function HolderRow({ plan, holder, onShow }: PartProps & { holder: Holder }) {
  const say = useWords(words);
  const { language } = say;
  const quota = moneyToDraw(plan.quota_usd);
  const share = quota > 0 ? 1 - moneyToDraw(holder.left_usd) / quota : 1;
  const left = say("leftOf", {
    left: formatMoney(holder.left_usd, language, 2),
    quota: formatMoneyShort(plan.quota_usd, language, 2),
  });
  return (
    <li className="flex items-center gap-3 border-line border-b px-3.5 py-2.5 last:border-0">
      <div className="grid min-w-0 flex-1 gap-1">
        <span className="flex flex-wrap items-center gap-2">
          <TextLink
            to="/operator/accounts"
            search={{ account: holder.account }}
            className="min-w-0 break-all"
          >
            {holder.email}
          </TextLink>
          {compareMoney(holder.left_usd, "0") <= 0 ? <Pill tone="bad">{say("usedUp")}</Pill> : null}
        </span>
        <Meter share={share} label={left} className="w-full!" />
        <span className="flex flex-wrap gap-x-3 text-ink-3 text-xs">
          <span className="tabular-nums">{left}</span>
          <span>
            {holder.until === null
              ? say("forever")
              : say("until", { when: formatTime(holder.until, language, "date") })}
          </span>
        </span>
      </div>
      <Menu
        label={say("moreForHolder", { email: holder.email })}
        entries={[
          { label: say("moveEnd"), onSelect: () => onShow({ what: "give", plan, holder }) },
          { label: say("end"), tone: "bad", onSelect: () => onShow({ what: "end", plan, holder }) },
        ]}
      />
    </li>
  );
}

function Actions({ plan, onShow }: PartProps) {
  const say = useWords(words);
  return (
    <>
      <LinkButton size="sm" tone="ghost" to="/operator/audit" search={{ noun: "plan", name: plan.name }}>
        {say("changes")}
      </LinkButton>
      <Button size="sm" tone="bad" className="ml-auto" onClick={() => onShow({ what: "remove", plan })}>
        {say("remove")}
      </Button>
    </>
  );
}
