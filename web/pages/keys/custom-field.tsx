import { useState } from "react";
import { Banner } from "../../parts/banner.tsx";
import { Field } from "../../parts/field.tsx";
import { Switch } from "../../parts/switch.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { Disclosure } from "./disclosure.tsx";
import type { Draft } from "./draft.ts";
import { customProblem } from "./draft-problems.ts";
import { formWords } from "./form-words.ts";

type Props = {
  draft: Pick<Draft, "isCustom" | "custom">;
  onChange: (part: Partial<Draft>) => void;
  error: string | undefined;
};

/** Below this nothing is said while it is still being typed. */
const SAID_FROM = 24;

/** Off, and spoken against: only for clients that fix the string of their key. */
export function CustomField({ draft, onChange, error }: Props) {
  const say = useWords(formWords);
  const [open, setOpen] = useState(draft.isCustom);
  const typed = draft.custom.length >= SAID_FROM ? customProblem(draft.custom, say) : undefined;
  const shown = error ?? typed ?? undefined;
  return (
    <Disclosure
      title={say("custom")}
      {...(draft.isCustom ? {} : { value: say("customOff") })}
      open={open || error !== undefined}
      onToggle={setOpen}
    >
      <Switch
        checked={draft.isCustom}
        onChange={isCustom => onChange({ isCustom })}
        label={say("customSwitch")}
      />
      <Banner tone="warn">{say("customWhy")}</Banner>
      {draft.isCustom ? (
        <Field
          label={say("customLabel")}
          hint={typed === null && error === undefined ? say("customGood") : say("customHint")}
          error={shown}
        >
          <TextInput
            mono
            value={draft.custom}
            onChange={custom => onChange({ custom: custom.trim() })}
            autoComplete="off"
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            maxLength={256}
          />
        </Field>
      ) : null}
    </Disclosure>
  );
}
