import { useState } from "react";
import { formatCompact } from "../../format/number.ts";
import { Field } from "../../parts/field.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { Disclosure } from "./disclosure.tsx";
import { amountText, type Draft, LIMITS } from "./draft.ts";
import type { FormSay, Problems } from "./draft-problems.ts";
import { formWords } from "./form-words.ts";
import { words } from "./words.ts";

type Props = { draft: Draft; onChange: (part: Partial<Draft>) => void; problems: Problems };

const CLAUDE_NEEDS = 2;

export function LimitFields({ draft, onChange, problems }: Props) {
  const say = useWords(formWords);
  const isWrong = LIMITS.some(field => problems[field] !== undefined);
  const [open, setOpen] = useState(false);
  const tooFew = draft.concurrency !== "" && Number(draft.concurrency) < CLAUDE_NEEDS;
  return (
    <Disclosure
      title={say("limits")}
      value={<LimitsNow draft={draft} />}
      open={open || isWrong}
      onToggle={setOpen}
    >
      <div className="grid gap-3 sm:grid-cols-3">
        <CountField name="requests" unit={say("perMinute")} {...{ draft, onChange, problems, say }} />
        <CountField name="tokens" unit={say("perMinute")} {...{ draft, onChange, problems, say }} />
        <CountField
          name="concurrency"
          label={say("atOnce")}
          unit={say("atOnceUnit")}
          hint={<span className={tooFew ? "font-medium text-warn" : ""}>{say("claudeNeeds")}</span>}
          {...{ draft, onChange, problems, say }}
        />
      </div>
      <div className="grid gap-3 sm:grid-cols-3">
        {(["day", "week", "month"] as const).map(name => (
          <Field key={name} label={say(name)} error={problems[name]}>
            <NumberInput
              kind="decimal"
              prefix="$"
              placeholder={say("off")}
              value={draft[name]}
              onChange={text => onChange({ [name]: text })}
            />
          </Field>
        ))}
      </div>
      <p className="text-ink-3 text-xs">{say("limitsHint")}</p>
    </Disclosure>
  );
}

type CountProps = Props & {
  name: "requests" | "tokens" | "concurrency";
  label?: string;
  unit: string;
  hint?: React.ReactNode;
  say: FormSay;
};

function CountField({ name, label, unit, hint, draft, onChange, problems, say }: CountProps) {
  return (
    <Field
      label={label ?? say(name === "tokens" ? "tokens" : "requests")}
      error={problems[name]}
      {...(hint === undefined ? {} : { hint })}
    >
      <NumberInput
        value={draft[name]}
        onChange={text => onChange({ [name]: text })}
        placeholder={say("off")}
        suffix={unit}
      />
    </Field>
  );
}

/** What is set, in one line. */
function LimitsNow({ draft }: { draft: Draft }) {
  const say = useWords(formWords);
  const inList = useWords(words);
  const count = (text: string) => formatCompact(Number(text), say.language);
  const amount = (text: string) => `$${amountText(text)}`;
  const set = [
    draft.requests === "" ? null : inList("perMinute", { count: count(draft.requests) }),
    draft.tokens === "" ? null : inList("tokensPerMinute", { count: count(draft.tokens) }),
    draft.concurrency === "" ? null : inList("atOnce", { count: count(draft.concurrency) }),
    draft.day === "" ? null : inList("perDay", { amount: amount(draft.day) }),
    draft.week === "" ? null : inList("perWeek", { amount: amount(draft.week) }),
    draft.month === "" ? null : inList("perMonth", { amount: amount(draft.month) }),
  ].filter(part => part !== null);
  return set.length === 0 ? say("noLimits") : set.join(" · ");
}
