import { formatPrice } from "../../format/money.ts";
import { formatCount } from "../../format/number.ts";
import { useWords } from "../../words/language-provider.tsx";
import { isSame, type ListPrice, TOKEN_PARTS, type TokenPart } from "./price.ts";
import { priceWords } from "./price-words.ts";

/** A whole price, as it is listed. */
export function PriceTable({ price }: { price: ListPrice }) {
  const say = useWords(priceWords);
  const hasCall = !isSame(price.request, "0");
  return (
    <div className="rounded-lg border border-line">
      <dl className={linesClass}>
        <Lines prices={price} />
        {hasCall ? <Line name={say("request")} usd={price.request} /> : null}
      </dl>
      {price.tiers.map(tier => (
        <section key={tier.above_tokens} className="border-line border-t">
          <h4 className="px-3.5 pt-2 text-ink-3 text-xs">
            {say("aboveTokens", { tokens: formatCount(tier.above_tokens, say.language) })}
          </h4>
          <dl className={linesClass}>
            <Lines prices={tier} />
          </dl>
        </section>
      ))}
    </div>
  );
}

const linesClass = "grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 px-3.5 py-2.5 tabular-nums";

function Lines({ prices }: { prices: Record<TokenPart, string> }) {
  const say = useWords(priceWords);
  return TOKEN_PARTS.map(part => <Line key={part} name={say(part)} usd={prices[part]} />);
}

function Line({ name, usd }: { name: string; usd: string }) {
  const say = useWords(priceWords);
  return (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className="text-right">{formatPrice(usd, say.language)}</dd>
    </>
  );
}
