import type { Answer } from "../../api/client.ts";
import { addMoney, formatMoney, formatPrice } from "../../format/money.ts";
import { formatCount, formatDuration } from "../../format/number.ts";
import { formatTime } from "../../format/time.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Say } from "../../words/say.ts";
import { isRounded } from "./receipt-rounding.ts";
import { receiptWords } from "./receipt-words.ts";

/** What operators see of one more than holders is shown beside it. */
export type Receipt = Answer<"GET /usage/{id}">;

const sumClass = "border-line-strong border-t border-dashed pt-2! font-semibold! text-ink!";

/** Every quantity by its price, the sum, the multiplier, and who paid. */
export function ReceiptSum({ receipt }: { receipt: Receipt }) {
  const say = useWords(receiptWords);
  const { language } = say;
  const { lines, multiplier } = receipt;
  if (receipt.row.outcome === "running") return <p className="text-ink-2">{say("runningText")}</p>;
  if (lines.length === 0) return <p className="text-ink-2">{say("notCharged")}</p>;
  return (
    <table className="w-full border-collapse tabular-nums [&_td]:py-[3px] [&_td]:whitespace-nowrap [&_td]:text-right [&_th]:py-[3px] [&_th]:pr-3 [&_th]:text-left [&_th]:font-normal [&_th]:text-ink-2">
      <caption className="sr-only">{say("lines")}</caption>
      <tbody>
        {lines.map(line => (
          <tr key={line.kind}>
            <th scope="row">
              {say(line.kind)}{" "}
              <span className="text-ink-3">
                {say(line.kind === "request" ? "timesEach" : "times", {
                  quantity: formatCount(line.quantity, language),
                  price: formatPrice(line.price_usd, language),
                })}
              </span>
            </th>
            <td>{formatMoney(line.amount_usd, language)}</td>
          </tr>
        ))}
        <tr>
          <th scope="row" className={sumClass}>
            {say("price")}
          </th>
          <td className={sumClass}>{formatMoney(receipt.price_usd, language)}</td>
        </tr>
        {multiplier === null ? null : (
          <tr>
            <th scope="row" className="pb-2!">
              {say("group", { group: receipt.group })}
            </th>
            <td className="pb-2!">{say("multiplier", { multiplier })}</td>
          </tr>
        )}
        <Charged receipt={receipt} say={say} />
      </tbody>
    </table>
  );
}

function Charged({ receipt, say }: { receipt: Receipt; say: Say<(typeof receiptWords)["en"]> }) {
  const { language } = say;
  const { pocket, cost_usd: cost, refunded_usd: refunded } = receipt;
  const isRefunded = !/^0(\.0*)?$/.test(refunded);
  const name =
    pocket === null
      ? say("charged")
      : pocket.kind === "balance"
        ? say("chargedBalance")
        : say("chargedPlan", { plan: pocket.name });
  return (
    <>
      <tr>
        <th scope="row" className={sumClass}>
          {name}
          {isRounded(receipt) ? (
            <span className="block font-normal text-ink-3 text-xs">{say("roundedUp")}</span>
          ) : null}
        </th>
        <td className={`${sumClass} align-top`}>{formatMoney(cost, language)}</td>
      </tr>
      {isRefunded ? (
        <>
          <tr>
            <th scope="row">{say("refunded")}</th>
            <td className="text-ok">{formatMoney(`-${refunded}`, language)}</td>
          </tr>
          <tr>
            <th scope="row" className={sumClass}>
              {say("remains")}
            </th>
            <td className={sumClass}>{formatMoney(addMoney([cost, `-${refunded}`]), language)}</td>
          </tr>
        </>
      ) : null}
    </>
  );
}

/** How the money was held, when it was settled, and whose count it was. */
export function ReceiptHold({ receipt }: { receipt: Receipt }) {
  const say = useWords(receiptWords);
  const { held_at: heldAt, settled_at: settledAt, source } = receipt;
  if (heldAt === null) return null;
  const told = {
    amount: formatMoney(receipt.held_usd, say.language),
    time: formatTime(heldAt, say.language, "time"),
  };
  const laterMs = settledAt === null ? 0 : Date.parse(settledAt) - Date.parse(heldAt);
  const later = formatDuration(Math.max(0, laterMs), say.language);
  const isReleased = receipt.lines.length === 0;
  return (
    <p className="rounded-md bg-sunken px-3 py-2.5 text-ink-2 text-sm">
      {settledAt === null ? say("hold", told) : say(isReleased ? "released" : "settled", { ...told, later })}{" "}
      {source === null || isReleased ? null : say(source)}
    </p>
  );
}
