import { formatPrice } from "../../format/money.ts";
import { formatCount } from "../../format/number.ts";
import { Banner } from "../../parts/banner.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { Tag } from "../../parts/tag.tsx";
import { LOCALE } from "../../words/language.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Say } from "../../words/say.ts";
import { type Model, type Offer, offersOf } from "./model.ts";
import { DIALECTS } from "./model-cells.tsx";
import { words } from "./words.ts";

type PageSay = Say<(typeof words)["en"]>;

/** Everything about one model: what it takes and what each group pays for it. */
export function ModelPanel({ model, onClose }: { model: Model; onClose: () => void }) {
  const say = useWords(words);
  const count = (tokens: number | null) =>
    tokens === null ? say("unknown") : formatCount(tokens, say.language);
  return (
    <SidePanel
      open
      onClose={onClose}
      title={
        <span className="flex items-center gap-1">
          <code className="break-all">{model.name}</code>
          <CopyButton iconOnly text={model.name} what={say("copyName", { name: model.name })} />
        </span>
      }
    >
      <div className="grid gap-5">
        {model.is_served ? null : <Banner tone="warn">{say("notServedText")}</Banner>}
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
          <dt className="text-ink-2">{say("context")}</dt>
          <dd className="text-right tabular-nums">{count(model.context_tokens)}</dd>
          <dt className="text-ink-2">{say("maxOutput")}</dt>
          <dd className="text-right tabular-nums">{count(model.max_output_tokens)}</dd>
        </dl>
        <p className="text-ink-2">{dialectsText(model, say)}</p>
        <section className="grid gap-3">
          <div>
            <h3 className="font-semibold">{say("details")}</h3>
            <p className="text-ink-3 text-sm">{say("detailsText")}</p>
          </div>
          {offersOf(model, undefined).map(offer => (
            <OfferTable key={offer.id} offer={offer} />
          ))}
        </section>
        <LinkButton to="/keys" search={{ show: "create" }} className="justify-self-start">
          {say("use")}
        </LinkButton>
      </div>
    </SidePanel>
  );
}

function dialectsText({ native_dialects: native }: Model, say: PageSay): string {
  if (native.length === 0) return say("allTranslated");
  if (native.length === DIALECTS.length) return say("allNative");
  const list = new Intl.ListFormat(LOCALE[say.language], { type: "conjunction" });
  return say("allDialects", { native: list.format(native.map(dialect => say(dialect))) });
}

const PARTS = [
  ["input", "input"],
  ["cache_read", "cacheRead"],
  ["cache_write_5m", "cacheWrite5m"],
  ["cache_write_1h", "cacheWrite1h"],
  ["output", "output"],
] as const;

function OfferTable({ offer }: { offer: Offer }) {
  const say = useWords(words);
  const { price } = offer;
  const hasRequest = !/^0+(\.0+)?$/.test(price.request);
  return (
    <div className="rounded-lg border border-line">
      <h4 className="flex items-center gap-2 border-line border-b px-3 py-2 font-medium">
        <span className="min-w-0 truncate">{offer.name}</span>
        <Tag>{`×${offer.multiplier}`}</Tag>
      </h4>
      <dl className={pricesClass}>
        <Prices prices={price} />
        {hasRequest ? <Line name={say("request")} usd={price.request} /> : null}
      </dl>
      {price.tiers.map(tier => (
        <section key={tier.above_tokens} className="border-line border-t">
          <h5 className="px-3 pt-2 text-ink-3 text-xs">{say("above", { count: tier.above_tokens })}</h5>
          <dl className={pricesClass}>
            <Prices prices={tier} />
          </dl>
        </section>
      ))}
    </div>
  );
}

const pricesClass = "grid grid-cols-[1fr_auto] gap-x-4 gap-y-1 px-3 pt-1.5 pb-2.5 tabular-nums";

function Prices({ prices }: { prices: Pick<Offer["price"], (typeof PARTS)[number][0]> }) {
  const say = useWords(words);
  return PARTS.map(([part, word]) => <Line key={part} name={say(word)} usd={prices[part]} />);
}

function Line({ name, usd }: { name: string; usd: string }) {
  const say = useWords(words);
  return (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className="text-right">{formatPrice(usd, say.language)}</dd>
    </>
  );
}
