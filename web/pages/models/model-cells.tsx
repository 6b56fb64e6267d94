import { formatPrice } from "../../format/money.ts";
import { classNames } from "../../parts/class-names.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { isPerCall, type Model, type Offer } from "./model.ts";
import { words } from "./words.ts";

export const DIALECTS = ["chat", "responses", "messages"] as const;
const SHORT = { chat: "Chat", responses: "Responses", messages: "Messages" } as const;

export function NameCell({ row }: { row: Model }) {
  const say = useWords(words);
  return (
    <span className="flex min-w-0 items-center gap-1">
      <code className="min-w-0 break-all font-medium text-sm">{row.name}</code>
      <CopyButton iconOnly text={row.name} what={say("copyName", { name: row.name })} />
    </span>
  );
}

/** All three are served; the ones that reach the upstream as they are stand out. */
export function DialectsCell({ row }: { row: Model }) {
  const say = useWords(words);
  return (
    <span className="flex flex-wrap gap-1">
      {DIALECTS.map(dialect => {
        const isNative = row.native_dialects.includes(dialect);
        const text = say(isNative ? "native" : "translated", { dialect: say(dialect) });
        return (
          <span
            key={dialect}
            title={text}
            className={classNames(
              "inline-flex items-center gap-1 rounded-sm border px-[7px] py-px text-xs",
              isNative ? "border-line-strong text-ink-2" : "border-line-strong border-dashed text-ink-3",
            )}
          >
            {isNative ? <i aria-hidden className="size-1.5 rounded-full bg-accent" /> : null}
            <span aria-hidden>{SHORT[dialect]}</span>
            <span className="sr-only">{text}</span>
          </span>
        );
      })}
    </span>
  );
}

/** 128K and 1M in every language, as their makers write it. */
export function tokensText(count: number): string {
  const short = (value: number) => String(Math.round(value * 10) / 10);
  if (count >= 1_000_000) return `${short(count / 1_000_000)}M`;
  return count >= 1000 ? `${short(count / 1000)}K` : String(count);
}

export function ContextCell({ row }: { row: Model }) {
  const say = useWords(words);
  const { context_tokens: context, max_output_tokens: output } = row;
  if (context === null && output === null) return <span className="text-ink-3">{say("unknown")}</span>;
  return (
    <span className="grid gap-px whitespace-nowrap tabular-nums">
      {context === null ? null : <span>{tokensText(context)}</span>}
      {output === null ? null : (
        <small className="text-ink-3 text-xs">{say("outputTokens", { count: tokensText(output) })}</small>
      )}
    </span>
  );
}

/** One line for each group; on a phone, where the prices have no columns, with what it costs. */
export function GroupsCell({ offers }: { offers: readonly Offer[] }) {
  return (
    <>
      <div className="phone:hidden">
        <Lines offers={offers}>{offer => <GroupName offer={offer} />}</Lines>
      </div>
      <div className="border-line border-t pt-2 md:hidden">
        <OffersOnPhone offers={offers} />
      </div>
    </>
  );
}

function GroupName({ offer }: { offer: Offer }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <span className="min-w-0 max-w-36 truncate" title={offer.name}>
        {offer.name}
      </span>
      <span className="text-ink-3 text-xs">{`×${offer.multiplier}`}</span>
    </span>
  );
}

export function PriceCell({
  offers,
  part,
}: {
  offers: readonly Offer[];
  part: "input" | "output" | "cache_read";
}) {
  const say = useWords(words);
  return (
    <Lines offers={offers}>
      {offer =>
        isPerCall(offer) ? (
          part === "input" ? (
            say("perCall", { price: formatPrice(offer.price.request, say.language) })
          ) : (
            <span className="text-ink-3">–</span>
          )
        ) : (
          <span className={part === "cache_read" ? "text-ink-2" : ""}>
            {formatPrice(offer.price[part], say.language)}
          </span>
        )
      }
    </Lines>
  );
}

function OffersOnPhone({ offers }: { offers: readonly Offer[] }) {
  const say = useWords(words);
  const price = (usd: string) => formatPrice(usd, say.language);
  return (
    <ul className="grid gap-1">
      {offers.map(offer => (
        <li key={offer.id} className="flex flex-wrap justify-between gap-x-3 tabular-nums">
          <GroupName offer={offer} />
          <span className="whitespace-nowrap">
            {isPerCall(offer)
              ? say("perCall", { price: price(offer.price.request) })
              : say("inAndOut", { input: price(offer.price.input), output: price(offer.price.output) })}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Lines({
  offers,
  children,
}: {
  offers: readonly Offer[];
  children: (offer: Offer) => React.ReactNode;
}) {
  return (
    <span className="grid gap-0.5">
      {offers.map(offer => (
        <span key={offer.id} className="block h-[21px] whitespace-nowrap tabular-nums leading-[21px]">
          {children(offer)}
        </span>
      ))}
    </span>
  );
}
