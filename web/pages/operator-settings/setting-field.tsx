import type { ReactNode } from "react";
import { Banner } from "../../parts/banner.tsx";
import { Field } from "../../parts/field.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { RadioCards } from "../../parts/radio-cards.tsx";
import { Switch } from "../../parts/switch.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { AccentField } from "./accent-field.tsx";
import { fieldWords, wordOf } from "./field-words.ts";
import { LogoField } from "./logo-field.tsx";
import { SecretField } from "./secret-field.tsx";
import { type Draft, type Given, isLocked, type Setting, shownValue } from "./setting.ts";
import { SourceLine } from "./source-line.tsx";
import { words } from "./words.ts";

type Props = {
  setting: Setting;
  draft: Draft;
  onChange: (value: Given) => void;
  /** What the server finds wrong with it. */
  error?: string;
};

/** A setting by its kind, with where it comes from. */
export function SettingField({ setting, draft, onChange, error }: Props) {
  const say = useWords(fieldWords);
  const label = wordOf(say, setting.name) ?? setting.name;
  const hint = wordOf(say, `${setting.name}Hint`);
  /** What to know before it is changed. */
  const warning = wordOf(say, `${setting.name}Changed`);
  const source = <SourceLine setting={setting} label={label} draft={draft} onChange={onChange} />;
  const given = { setting, draft, onChange };
  if (setting.kind === "switch") {
    return (
      <div className="grid gap-1">
        <Switch
          label={label}
          checked={shownValue(setting, draft) === "on"}
          onChange={isOn => onChange(isOn ? "on" : "off")}
          disabled={isLocked(setting)}
          {...(hint === null ? {} : { hint })}
        />
        {error === undefined ? null : (
          <p role="alert" className="text-bad text-sm">
            {error}
          </p>
        )}
        {source}
      </div>
    );
  }
  const isGroup = ["choice", "image", "secret"].includes(setting.kind);
  return (
    <div className="relative grid gap-1">
      <Field
        label={label}
        group={isGroup}
        {...(hint === null ? {} : { hint })}
        {...(error === undefined ? {} : { error })}
      >
        <Control {...given} label={label} />
      </Field>
      {/* Beside its name, where there is room for it. */}
      {isLocked(setting) ? source : <div className="absolute top-0.5 right-0">{source}</div>}
      {warning === null || typeof draft[setting.name] !== "string" ? null : (
        <Banner tone="warn">{warning}</Banner>
      )}
    </div>
  );
}

function Control({ setting, draft, onChange, label }: Props & { label: string }): ReactNode {
  const say = useWords(words);
  const value = shownValue(setting, draft);
  const disabled = isLocked(setting);
  const given = { setting, draft, onChange };
  switch (setting.kind) {
    case "choice":
      return <Choice {...given} />;
    case "secret":
      return <SecretField {...given} label={label} />;
    case "colour":
      return <AccentField {...given} />;
    case "image":
      return <LogoField {...given} />;
    case "usd":
      return (
        <NumberInput
          kind="decimal"
          prefix="$"
          suffix={say("usd")}
          value={value}
          onChange={onChange}
          disabled={disabled}
        />
      );
    case "whole":
      return (
        <NumberInput
          value={value}
          onChange={onChange}
          disabled={disabled}
          {...(setting.name === "usage_days" ? { suffix: say("days") } : {})}
        />
      );
    default:
      return (
        <TextInput
          dir="auto"
          value={value}
          onChange={onChange}
          disabled={disabled}
          autoComplete="off"
          spellCheck={false}
          {...(setting.kind === "url" ? { inputMode: "url" as const } : {})}
        />
      );
  }
}

function Choice({ setting, draft, onChange }: Props) {
  const say = useWords(fieldWords);
  const value = shownValue(setting, draft);
  const word = (choice: string, ending = "") => wordOf(say, `${setting.name}_${choice}${ending}`);
  return (
    <RadioCards
      value={value}
      onChange={onChange}
      columns={setting.choices.length === 3 ? 3 : 2}
      cards={setting.choices.map(choice => ({
        value: choice,
        title: word(choice) ?? choice,
        detail: word(choice, "Text") ?? undefined,
        disabled: isLocked(setting),
      }))}
    />
  );
}
