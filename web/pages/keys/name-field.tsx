import { guessSystem } from "../../browser/system.ts";
import { Field } from "../../parts/field.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { FormSay } from "./draft-problems.ts";
import { formWords } from "./form-words.ts";

type Props = {
  value: string;
  onChange: (name: string) => void;
  error: string | undefined;
  /** Names that are in use; with none given nothing is suggested. */
  taken?: readonly string[];
};

const TOOLS = ["Claude Code", "Codex", "Cursor", "OpenCode", "Cherry Studio"];
const SUGGESTED_MAX = 4;

/** One key for each tool on this device, then one for where no person sits. */
function suggestions(say: FormSay, taken: readonly string[]): string[] {
  const device = say(guessSystem() === "phone" ? "phone" : "laptop");
  const names = [...TOOLS.map(tool => `${device} · ${tool}`), say("ci")];
  const free = names.filter(name => !taken.includes(name));
  return [...free.slice(0, SUGGESTED_MAX - 1), ...free.slice(-1)];
}

export function NameField({ value, onChange, error, taken }: Props) {
  const say = useWords(formWords);
  return (
    <Field label={say("name")} hint={say("nameHint")} required error={error}>
      <TextInput
        value={value}
        onChange={onChange}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        placeholder={`${say("laptop")} · Codex`}
        autoFocus
      />
      {taken === undefined ? null : (
        <ul aria-label={say("suggestions")} className="mt-1 flex flex-wrap gap-1.5">
          {suggestions(say, taken).map(name => (
            <li key={name}>
              <button
                type="button"
                onClick={() => onChange(name)}
                className="rounded-full border border-line-strong px-2.5 py-0.5 text-ink-2 text-xs transition-colors hover:border-accent hover:bg-accent-soft hover:text-ink phone:py-1.5"
              >
                {name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Field>
  );
}
