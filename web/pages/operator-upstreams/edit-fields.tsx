import { Checkbox } from "../../parts/checkbox.tsx";
import { Field } from "../../parts/field.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { changeWords } from "./change-words.ts";
import type { Draft } from "./edit-change.ts";
import { DIALECTS } from "./upstream-reads.ts";

type Props = { draft: Draft; onChange: (draft: Draft) => void };

export function SpeaksField({ draft, onChange, error }: Props & { error: { error?: string } }) {
  const say = useWords(changeWords);
  return (
    <Field group label={say("speaks")} hint={say("speaksHint")} {...error}>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {DIALECTS.map(dialect => (
          <Checkbox
            key={dialect}
            label={say(dialect)}
            checked={draft.speaks.includes(dialect)}
            onChange={isChosen => {
              const speaks = DIALECTS.filter(one =>
                one === dialect ? isChosen : draft.speaks.includes(one),
              );
              onChange({ ...draft, speaks });
            }}
          />
        ))}
      </div>
    </Field>
  );
}

const NUMBERS = [
  { field: "priority", hint: "priorityHint" },
  { field: "weight", hint: "weightHint" },
  { field: "concurrency", hint: "concurrencyHint", none: "noLimit" },
  { field: "probe", hint: "probeHint", none: "off" },
] as const;

export function NumberFields({ draft, onChange }: Props) {
  const say = useWords(changeWords);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {NUMBERS.map(({ field, hint, ...more }) => (
        <Field key={field} label={say(field)} hint={say(hint)}>
          <NumberInput
            value={draft[field]}
            onChange={text => onChange({ ...draft, [field]: text })}
            {...("none" in more ? { placeholder: say(more.none) } : {})}
          />
        </Field>
      ))}
      <Field label={say("cost")} hint={say("costHint")}>
        <NumberInput
          kind="decimal"
          prefix="×"
          value={draft.cost}
          onChange={cost => onChange({ ...draft, cost })}
        />
      </Field>
    </div>
  );
}
