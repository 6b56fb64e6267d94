import { formatPrice } from "../../format/money.ts";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { Pill } from "../../parts/pill.tsx";
import { Tag } from "../../parts/tag.tsx";
import { LOCALE } from "../../words/language.ts";
import { useWords } from "../../words/language-provider.tsx";
import { tokensText } from "../models/model-cells.tsx";
import type { Model, Suggested } from "./model-reads.ts";
import { isSame } from "./price.ts";
import { words } from "./words.ts";

export const DIALECTS = ["chat", "responses", "messages"] as const;
const GROUPS_SHOWN = 3;

type NameProps = { model: Model; suggested: Suggested | null; onPrice: (model: Model) => void };

export function NameCell({ model, suggested, onPrice }: NameProps) {
  const say = useWords(words);
  const isKnown = suggested?.prices.has(model.name) ?? false;
  return (
    <span className="grid justify-items-start gap-1">
      <code className="min-w-0 break-all font-medium text-sm">{model.name}</code>
      {model.price === null ? (
        <span className="flex flex-wrap items-center gap-1.5">
          <Pill tone="bad">{say("unpriced")}</Pill>
          <Button size="sm" onClick={() => onPrice(model)}>
            {say(isKnown ? "useSuggested" : "setPrice")}
          </Button>
        </span>
      ) : (
        <More model={model} />
      )}
    </span>
  );
}

/** What a price has beside what the columns show. */
function More({ model: { price } }: { model: Model }) {
  const say = useWords(words);
  if (price === null) return null;
  const [tier, another] = price.tiers;
  const parts = [
    isSame(price.request, "0") ? null : say("perCall", { price: formatPrice(price.request, say.language) }),
    tier === undefined
      ? null
      : another === undefined
        ? say("tieredOne", { tokens: tokensText(tier.above_tokens) })
        : say("tiered", { count: price.tiers.length }),
  ].filter(part => part !== null);
  return parts.length === 0 ? null : <small className="text-ink-3 text-xs">{parts.join(" · ")}</small>;
}

/** Each upstream, with the dialects that reach it as they are. */
export function ServedCell({ model }: { model: Model }) {
  const say = useWords(words);
  if (model.upstreams.length === 0) return <Pill tone="warn">{say("noUpstream")}</Pill>;
  const list = new Intl.ListFormat(LOCALE[say.language], { type: "conjunction" });
  return (
    <ul className="grid gap-1">
      {model.upstreams.map(({ id, name, speaks }) => (
        <li key={id} className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span dir="auto" className="min-w-0">
            {name}
          </span>
          <span
            aria-hidden
            className="flex gap-1"
            title={say("native", { upstream: name, dialects: list.format(speaks.map(one => say(one))) })}
          >
            {DIALECTS.map(dialect => (
              <DialectMark key={dialect} label={say(dialect)} isNative={speaks.includes(dialect)} />
            ))}
          </span>
          <span className="sr-only">
            {say("native", { upstream: name, dialects: list.format(speaks.map(one => say(one))) })}
          </span>
        </li>
      ))}
    </ul>
  );
}

function DialectMark({ label, isNative }: { label: string; isNative: boolean }) {
  return (
    <span
      className={classNames(
        "inline-flex items-center gap-1 rounded-sm border px-1.5 text-[11px] leading-[17px]",
        isNative ? "border-line-strong text-ink-2" : "border-line-strong border-dashed text-ink-3",
      )}
    >
      {isNative ? <i className="size-1.5 rounded-full bg-accent" /> : null}
      {label}
    </span>
  );
}

export function GroupsCell({ model }: { model: Model }) {
  const say = useWords(words);
  if (model.groups.length === 0) return <span className="text-ink-3">{say("noGroup")}</span>;
  const rest = model.groups.length - GROUPS_SHOWN;
  return (
    <span className="flex max-w-64 flex-wrap gap-1">
      {model.groups.slice(0, GROUPS_SHOWN).map(name => (
        <Tag key={name}>{name}</Tag>
      ))}
      {rest > 0 ? <Tag>{`+${rest}`}</Tag> : null}
    </span>
  );
}
