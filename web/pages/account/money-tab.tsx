import { useApi } from "../../api/query.ts";
import { addMoney, compareMoney, formatMoney } from "../../format/money.ts";
import { Banner } from "../../parts/banner.tsx";
import { Money } from "../../parts/money.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Stat, Stats } from "../../parts/stat.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Account } from "./account.ts";
import { AccountLimits } from "./account-limits.tsx";
import { RedeemForm } from "./redeem-form.tsx";
import { Subscriptions } from "./subscriptions.tsx";
import { WarningForm } from "./warning-form.tsx";
import { words } from "./words.ts";

/** What there is to spend, what may be added, and what else pays. */
export function MoneyTab({ account }: { account: Account }) {
  const say = useWords(words);
  const summary = useApi("GET /usage/summary").data;
  const running = account.subscriptions.filter(({ is_over }) => !is_over);
  const isHeld = compareMoney(account.held_usd, "0") !== 0;
  return (
    <>
      <LowBalance account={account} />
      <Stats>
        <Stat
          label={say("balance")}
          value={<Money usd={account.balance_usd} isFigure />}
          detail={say("balanceHint")}
        />
        <Stat
          label={say("held")}
          value={<Money usd={account.held_usd} isFigure />}
          detail={say(isHeld ? "heldHint" : "heldNone")}
        />
        <Stat
          label={say("inPlans")}
          value={<Money usd={addMoney(running.map(({ left_usd }) => left_usd))} isFigure />}
          detail={running.length === 0 ? say("plansZero") : say("plansCount", { count: running.length })}
        />
        <Stat
          label={say("spent")}
          isLoading={summary === undefined}
          value={<Money usd={summary?.totals.cost_usd ?? "0"} decimals={4} />}
          detail={<TextLink to="/usage">{say("seeUsage")}</TextLink>}
        />
      </Stats>
      <div className="grid gap-3.5 lg:grid-cols-2">
        <Panel title={say("redeemTitle")} description={say("redeemText")}>
          <RedeemForm />
        </Panel>
        <Panel title={say("warnTitle")} description={say("warnText")}>
          <WarningForm account={account} />
        </Panel>
        <Subscriptions subscriptions={account.subscriptions} />
        <AccountLimits limits={account.limits} />
      </div>
    </>
  );
}

function LowBalance({ account }: { account: Account }) {
  const say = useWords(words);
  const { low_balance_usd: low } = account;
  const isEmpty = compareMoney(account.balance_usd, "0") <= 0;
  if (isEmpty) {
    return (
      <Banner tone="warn" className="mb-3.5" title={say("emptyTitle")}>
        {say("emptyText")}
      </Banner>
    );
  }
  if (!account.balance_is_low || low === null) return null;
  return (
    <Banner tone="warn" className="mb-3.5" title={say("lowTitle")}>
      {say("lowText", { amount: formatMoney(low, say.language, 2) })}
    </Banner>
  );
}
