import { now } from "../../format/clock.ts";
import { formatTime } from "../../format/time.ts";
import { Field } from "../../parts/field.tsx";
import { Select } from "../../parts/select.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { type Draft, type Expiry, expiresAt, localText } from "./draft.ts";
import { formWords } from "./form-words.ts";

type Props = {
  draft: Pick<Draft, "expiry" | "expiryDate">;
  onChange: (part: Partial<Draft>) => void;
  error: string | undefined;
};

const PRESETS = {
  never: "never",
  "7d": "in7",
  "30d": "in30",
  "90d": "in90",
  "1y": "inYear",
  date: "onDate",
} as const;
const MONTH_MS = 30 * 86_400_000;

export function ExpiryField({ draft, onChange, error }: Props) {
  const say = useWords(formWords);
  const isDate = draft.expiry === "date";
  const at = isDate || draft.expiry === "never" ? null : expiresAt(draft, now());
  const options = Object.entries(PRESETS).map(([value, word]) => ({
    value: value as Expiry,
    label: say(word),
  }));
  const choose = (expiry: Expiry) => {
    const isEmpty = expiry === "date" && draft.expiryDate === "";
    onChange({
      expiry,
      ...(isEmpty ? { expiryDate: localText(new Date(now() + MONTH_MS).toISOString()) } : {}),
    });
  };
  return (
    <div className="grid content-start gap-2">
      <Field
        label={say("expires")}
        {...(typeof at === "string"
          ? { hint: say("expiresOn", { when: formatTime(at, say.language, "date") }) }
          : {})}
      >
        <Select value={draft.expiry} onChange={choose} options={options} />
      </Field>
      {isDate ? (
        <Field label={<span className="sr-only">{say("expiryDate")}</span>} error={error}>
          <TextInput
            type="datetime-local"
            value={draft.expiryDate}
            onChange={expiryDate => onChange({ expiryDate })}
            min={localText(new Date(now()).toISOString())}
            max="2100-01-01T00:00"
          />
        </Field>
      ) : null}
    </div>
  );
}
