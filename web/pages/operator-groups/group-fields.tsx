import { useState } from "react";
import { Field } from "../../parts/field.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { RadioCards } from "../../parts/radio-cards.tsx";
import { Switch } from "../../parts/switch.tsx";
import { TextArea } from "../../parts/text-area.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { Disclosure } from "../keys/disclosure.tsx";
import { AccountPicker } from "./account-picker.tsx";
import { formWords } from "./form-words.ts";
import { AMOUNTS, COUNTS, type GroupDraft, type Limit } from "./group-draft.ts";

type Named = "name" | "multiplier" | "models" | "accounts" | Limit;

type Props = {
  draft: GroupDraft;
  onChange: (part: Partial<GroupDraft>) => void;
  problem: (name: Named) => string | null;
};

const DESCRIPTION_MAX = 500;

function errorOf(problem: string | null): { error?: string } {
  return problem === null ? {} : { error: problem };
}

export function GroupFields({ draft, onChange, problem }: Props) {
  const say = useWords(formWords);
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-[1fr_180px]">
        <Field label={say("name")} {...errorOf(problem("name"))}>
          <TextInput
            value={draft.name}
            onChange={name => onChange({ name })}
            placeholder={say("namePlaceholder")}
            autoComplete="off"
          />
        </Field>
        <Field label={say("multiplier")} hint={say("multiplierHint")} {...errorOf(problem("multiplier"))}>
          <NumberInput
            kind="decimal"
            prefix="×"
            value={draft.multiplier}
            onChange={multiplier => onChange({ multiplier })}
          />
        </Field>
      </div>
      <Field label={say("description")} optional hint={say("descriptionHint")}>
        <TextArea
          rows={2}
          maxLength={DESCRIPTION_MAX}
          value={draft.description}
          onChange={description => onChange({ description })}
        />
      </Field>
      <Switch
        checked={draft.enabled}
        onChange={enabled => onChange({ enabled })}
        label={say("enabled")}
        hint={say("enabledHint")}
      />
    </>
  );
}

/** Who pays, and who may use it. */
export function AccessFields({ draft, onChange, problem }: Props) {
  const say = useWords(formWords);
  return (
    <>
      <Field group label={say("billing")}>
        <RadioCards
          value={draft.billing}
          onChange={billing => onChange({ billing })}
          columns={3}
          cards={[
            { value: "balance", title: say("balance"), detail: say("balanceText") },
            { value: "subscription-first", title: say("first"), detail: say("firstText") },
            { value: "subscription", title: say("subscription"), detail: say("subscriptionText") },
          ]}
        />
      </Field>
      <Field group label={say("access")}>
        <RadioCards
          value={draft.isForAll ? "all" : "chosen"}
          onChange={who => onChange({ isForAll: who === "all" })}
          columns={2}
          cards={[
            { value: "all", title: say("everybody"), detail: say("everybodyText") },
            { value: "chosen", title: say("chosen"), detail: say("chosenText") },
          ]}
        />
      </Field>
      {draft.isForAll ? null : (
        <Field label={say("accounts")} {...errorOf(problem("accounts"))}>
          <AccountPicker value={draft.accounts} onChange={accounts => onChange({ accounts })} />
        </Field>
      )}
    </>
  );
}

export function LimitFields({ draft, onChange, problem }: Props) {
  const say = useWords(formWords);
  const { limits } = draft;
  const all = [...COUNTS, ...AMOUNTS];
  const count = all.filter(limit => limits[limit] !== "").length;
  const [isOpen, setOpen] = useState(false);
  const isWrong = all.some(limit => problem(limit) !== null);
  const put = (limit: Limit, text: string) => onChange({ limits: { ...limits, [limit]: text } });
  return (
    <Disclosure
      title={say("limits")}
      value={count === 0 ? say("limitsNone") : say("limitsSet", { count })}
      open={isOpen || isWrong}
      onToggle={setOpen}
    >
      <p className="text-ink-3 text-xs">{say("limitsText")}</p>
      <div className="grid gap-3 sm:grid-cols-3">
        {COUNTS.map(limit => (
          <Field key={limit} label={say(limit)} {...errorOf(problem(limit))}>
            <NumberInput value={limits[limit]} onChange={text => put(limit, text)} placeholder={say("off")} />
          </Field>
        ))}
        {AMOUNTS.map(limit => (
          <Field key={limit} label={say(limit)} {...errorOf(problem(limit))}>
            <NumberInput
              kind="decimal"
              prefix="$"
              value={limits[limit]}
              onChange={text => put(limit, text)}
              placeholder={say("off")}
            />
          </Field>
        ))}
      </div>
    </Disclosure>
  );
}
