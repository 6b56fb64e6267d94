import { Lock } from "lucide-react";
import { textLinkClass } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { type Draft, type Given, isLocked, type Setting } from "./setting.ts";
import { words } from "./words.ts";

type Props = { setting: Setting; label: string; draft: Draft; onChange: (value: Given) => void };

/** Where a setting's value comes from, and the way back to its default. */
export function SourceLine({ setting, label, draft, onChange }: Props) {
  const say = useWords(words);
  const given = draft[setting.name];
  if (isLocked(setting)) {
    const variable = <code key="variable">{setting.variable}</code>;
    return (
      <p className="flex items-center gap-1.5 text-ink-2 text-xs">
        <Lock size={12} className="shrink-0" aria-hidden />
        <span>{say.rich("fixed", { variable })}</span>
      </p>
    );
  }
  if (given === null) return <p className="text-ink-3 text-xs">{say("willBeDefault")}</p>;
  if (setting.from !== "console") return <p className="text-ink-3 text-xs">{say("isDefault")}</p>;
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 text-ink-3 text-xs">
      {say("setHere")}
      <span aria-hidden>{"·"}</span>
      <button
        type="button"
        className={`${textLinkClass} text-xs`}
        aria-label={say("toDefaultOf", { name: label })}
        onClick={() => onChange(null)}
      >
        {say("toDefault")}
      </button>
    </p>
  );
}
