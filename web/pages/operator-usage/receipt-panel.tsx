import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { queryOf } from "../../api/query.ts";
import { formatMoney } from "../../format/money.ts";
import { formatDuration } from "../../format/number.ts";
import { LinkButton } from "../../parts/link-button.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { useWhy } from "../operator-upstreams/why-text.ts";
import { marginOf } from "../usage/chart-series.ts";
import { Fact, ReceiptFacts } from "../usage/receipt-facts.tsx";
import { ReceiptBody, ReceiptFrame } from "../usage/receipt-frame.tsx";
import { followed } from "../usage/receipt-panel.tsx";
import { ReceiptRefusal } from "../usage/receipt-refusal.tsx";
import { receiptWords } from "../usage/receipt-words.ts";
import type { ReceiptGiven } from "../usage/usage-list.tsx";
import type { HouseReceipt } from "./house-row.ts";
import { houseReceiptWords } from "./receipt-words.ts";
import { words } from "./words.ts";

/** The holder's receipt, with who was asked and what it cost us. */
export function HouseReceiptPanel(given: ReceiptGiven) {
  const told = useWords(houseReceiptWords);
  const receipt = useQuery({
    ...queryOf("GET /operator/usage/{id}", { params: { id: given.id } }),
    placeholderData: keepPreviousData,
    refetchInterval: followed,
  });
  return (
    <ReceiptFrame given={given} receipt={receipt} notFoundText={told("notFoundText")}>
      {found => <Found receipt={found} repeated={given.repeated} />}
    </ReceiptFrame>
  );
}

function Found({ receipt, repeated }: { receipt: HouseReceipt; repeated: ReceiptGiven["repeated"] }) {
  const say = useWords(words);
  const told = useWords(houseReceiptWords);
  const usual = useWords(receiptWords);
  const { row, refusal, account } = receipt;
  const of = { account: account.id, key: row.key.id };
  return (
    <ReceiptBody
      receipt={receipt}
      refusal={
        refusal === null ? null : (
          <ReceiptRefusal
            refusal={refusal}
            next={
              <LinkButton
                size="sm"
                to="/operator/accounts"
                search={{ account: account.id }}
                className="justify-self-start"
              >
                {told("openAccount")}
              </LinkButton>
            }
          />
        )
      }
    >
      <Left receipt={receipt} />
      <Asked receipt={receipt} />
      <ReceiptFacts
        receipt={receipt}
        repeated={repeated}
        keyLink={
          <TextLink to="/operator/usage" search={of} title={usual("onlyKey")} resetScroll={false}>
            {row.key.name}
          </TextLink>
        }
        modelLink={
          <TextLink
            to="/operator/usage"
            search={{ model: row.model }}
            title={usual("onlyModel")}
            resetScroll={false}
          >
            <code className="break-all">{row.model}</code>
          </TextLink>
        }
      >
        <Fact name={say("account")}>
          <TextLink
            to="/operator/usage"
            search={{ account: account.id }}
            title={told("onlyAccount")}
            resetScroll={false}
            className="break-all"
          >
            {account.email}
          </TextLink>
        </Fact>
      </ReceiptFacts>
    </ReceiptBody>
  );
}

/** Charged, given back, our cost, and the margin. */
function Left({ receipt }: { receipt: HouseReceipt }) {
  const say = useWords(words);
  const told = useWords(houseReceiptWords);
  const { cost_usd: cost, refunded_usd: refunded, our_cost_usd: ours } = receipt;
  if (receipt.lines.length === 0) return null;
  const isRefunded = !/^0(\.0*)?$/.test(refunded);
  const margin = marginOf(marginOf(cost, refunded), ours);
  const lines = [
    { name: told("chargedLine"), usd: cost },
    ...(isRefunded ? [{ name: told("refundedLine"), usd: `-${refunded}` }] : []),
    { name: say("ourCost"), usd: `-${ours}` },
  ];
  return (
    <section aria-label={told("moneyOfIt")}>
      <h3 className="mb-1 font-medium text-ink-3 text-xs">{told("moneyOfIt")}</h3>
      <dl className="grid tabular-nums">
        {lines.map(({ name, usd }) => (
          <div key={name} className="flex justify-between gap-3 py-[3px]">
            <dt className="text-ink-2">{name}</dt>
            <dd>{formatMoney(usd, say.language)}</dd>
          </div>
        ))}
        <div className="flex justify-between gap-3 border-line-strong border-t border-dashed pt-2 font-semibold">
          <dt>{say("margin")}</dt>
          <dd className={margin.startsWith("-") ? "text-bad" : undefined}>
            {formatMoney(margin, say.language)}
          </dd>
        </div>
      </dl>
    </section>
  );
}

/** Every upstream in the order they were asked, and why the next one had to be. */
function Asked({ receipt }: { receipt: HouseReceipt }) {
  const say = useWords(words);
  const told = useWords(houseReceiptWords);
  const tellWhy = useWhy();
  const { attempts, upstream, row } = receipt;
  if (upstream === null) return null;
  const last = row.outcome === "ok" || row.outcome === "stopped" ? told("answered") : told("gaveUp");
  const all = [
    ...attempts.map(({ upstream: name, why, ms }, at) => ({
      ...{ key: `${String(at)} ${name}`, name, isGood: false },
      result: `${tellWhy(why)} · ${told("tookMs", { time: formatDuration(ms, say.language) })}`,
    })),
    { key: "last", name: upstream, isGood: true, result: last },
  ];
  return (
    <section aria-label={told("asked")}>
      <h3 className="mb-1 font-medium text-ink-3 text-xs">{told("asked")}</h3>
      <ol className="rounded-lg border border-line">
        {all.map(({ key, name, result, isGood }) => (
          <li key={key} className="grid gap-px border-line border-b px-3 py-2 last:border-0">
            <span dir="auto" className="min-w-0 break-words text-left">
              <TextLink
                to="/operator/usage"
                search={{ upstream: name }}
                title={told("onlyUpstream")}
                resetScroll={false}
              >
                {name}
              </TextLink>
            </span>
            <small className={isGood ? "text-ink-3 text-xs" : "break-words text-warn text-xs"}>
              {result}
            </small>
          </li>
        ))}
      </ol>
    </section>
  );
}
