import { Field } from "../../parts/field.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Draft, Group } from "./draft.ts";
import type { Problems } from "./draft-problems.ts";
import { ExpiryField } from "./expiry-field.tsx";
import { formWords } from "./form-words.ts";
import { GroupField } from "./group-field.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { NameField } from "./name-field.tsx";

type Props = {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
  problems: Problems;
  groups: readonly Group[] | undefined;
  taken?: readonly string[];
};

/** What a new key and an edited one have in common. */
export function KeyFields({ draft, onChange, problems, groups, taken }: Props) {
  const say = useWords(formWords);
  return (
    <>
      <NameField
        value={draft.name}
        onChange={name => onChange({ name })}
        error={problems.name}
        {...(taken === undefined ? {} : { taken })}
      />
      <GroupField
        value={draft.group}
        onChange={group => onChange({ group })}
        groups={groups}
        error={problems.group}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={say("quota")} hint={say("quotaHint")} error={problems.quota}>
          <NumberInput
            kind="decimal"
            prefix="$"
            placeholder={say("unlimited")}
            value={draft.quota}
            onChange={quota => onChange({ quota })}
          />
        </Field>
        <ExpiryField draft={draft} onChange={onChange} error={problems.expiryDate} />
      </div>
      <LimitFields draft={draft} onChange={onChange} problems={problems} />
    </>
  );
}
