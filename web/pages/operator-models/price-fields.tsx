import { Plus, X } from "lucide-react";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { IconButton } from "../../parts/icon-button.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import {
  inTier,
  type PriceDraft,
  type PriceProblems,
  TIERS_MAX,
  type TierDraft,
  TOKEN_PARTS,
  type TokenPart,
  withTier,
} from "./price.ts";
import { priceWords } from "./price-words.ts";

type Props = {
  draft: PriceDraft;
  onChange: (draft: PriceDraft) => void;
  /** Empty until somebody has tried to save. */
  problems: PriceProblems;
};

const CACHE_PARTS = ["cache_read", "cache_write_5m", "cache_write_1h"] as const;

function useProblem(problems: PriceProblems) {
  const say = useWords(priceWords);
  return (path: string) => {
    const problem = problems.get(path);
    return problem === undefined ? {} : { error: say(problem) };
  };
}

/** A whole price: tokens, cache, each call, long context. */
export function PriceFields({ draft, onChange, problems }: Props) {
  const say = useWords(priceWords);
  const problem = useProblem(problems);
  const change = (part: Partial<PriceDraft>) => onChange({ ...draft, ...part });
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-3">
        {(["input", "output"] as const).map(part => (
          <Field key={part} label={say(part)} {...problem(part)}>
            <NumberInput
              kind="decimal"
              prefix="$"
              placeholder="0"
              value={draft[part]}
              onChange={text => change({ [part]: text })}
            />
          </Field>
        ))}
        <Field label={say("request")} optional {...problem("request")}>
          <NumberInput
            kind="decimal"
            prefix="$"
            placeholder={say("none")}
            value={draft.request}
            onChange={request => change({ request })}
          />
        </Field>
      </div>
      <div className="grid gap-1.5">
        <div className="grid gap-3 sm:grid-cols-3">
          {CACHE_PARTS.map(part => (
            <Field key={part} label={say(part)} {...problem(part)}>
              <NumberInput
                kind="decimal"
                prefix="$"
                placeholder={draft.input === "" ? say("asInput") : draft.input}
                value={draft[part]}
                onChange={text => change({ [part]: text })}
              />
            </Field>
          ))}
        </div>
        <p className="text-ink-3 text-xs">{say("cacheHint")}</p>
      </div>
      <Tiers draft={draft} onChange={onChange} problems={problems} />
    </>
  );
}

function Tiers({ draft, onChange, problems }: Props) {
  const say = useWords(priceWords);
  const { tiers } = draft;
  const put = (at: number, tier: TierDraft) => onChange({ ...draft, tiers: tiers.with(at, tier) });
  return (
    <fieldset className="grid min-w-0 gap-2">
      <legend className="font-medium">{say("tiers")}</legend>
      {tiers.length === 0 ? null : <p className="text-ink-3 text-xs">{say("tiersText")}</p>}
      {tiers.map((tier, at) => (
        <TierFields
          key={tier.key}
          tier={tier}
          at={at}
          draft={draft}
          problems={problems}
          onChange={next => put(at, next)}
          onRemove={() => onChange({ ...draft, tiers: tiers.filter(one => one !== tier) })}
        />
      ))}
      {tiers.length >= TIERS_MAX ? null : (
        <Button
          size="sm"
          className="justify-self-start"
          icon={<Plus size={14} aria-hidden />}
          onClick={() => onChange(withTier(draft))}
        >
          {say("addTier")}
        </Button>
      )}
    </fieldset>
  );
}

type TierProps = {
  tier: TierDraft;
  at: number;
  draft: PriceDraft;
  problems: PriceProblems;
  onChange: (tier: TierDraft) => void;
  onRemove: () => void;
};

function TierFields({ tier, at, draft, problems, onChange, onRemove }: TierProps) {
  const say = useWords(priceWords);
  const problem = useProblem(problems);
  const below = (part: TokenPart) => inTier({ ...tier, [part]: "" }, draft, part);
  return (
    <div className="relative grid grid-cols-2 gap-3 rounded-lg border border-line px-3 pt-2.5 pb-3 sm:grid-cols-3">
      <Field label={say("above")} {...problem(`tiers.${at}.above`)}>
        <NumberInput
          value={tier.above}
          suffix={say("tokens")}
          onChange={above => onChange({ ...tier, above })}
        />
      </Field>
      {TOKEN_PARTS.map(part => (
        <Field key={part} label={say(part)} {...problem(`tiers.${at}.${part}`)}>
          <NumberInput
            kind="decimal"
            prefix="$"
            placeholder={below(part)}
            value={tier[part]}
            onChange={text => onChange({ ...tier, [part]: text })}
          />
        </Field>
      ))}
      <span className="absolute top-1 right-1">
        <IconButton
          label={say("removeTier", { tokens: tier.above })}
          icon={<X size={15} aria-hidden />}
          onClick={onRemove}
        />
      </span>
    </div>
  );
}
