import { useState } from "react";
import { Button } from "../../parts/button.tsx";
import { PasswordInput } from "../../parts/password-input.tsx";
import { Pill } from "../../parts/pill.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { type Draft, type Given, isLocked, type Setting } from "./setting.ts";
import { words } from "./words.ts";

type Props = { setting: Setting; draft: Draft; label: string; onChange: (value: Given) => void };

/** Written and never read: it says whether there is one, and takes another in its place. */
export function SecretField({ setting, draft, label, onChange }: Props) {
  const say = useWords(words);
  /** While nothing is typed: what is typed keeps it open until it is saved or taken back. */
  const [isOpen, setOpen] = useState(false);
  const given = draft[setting.name];
  const isSet = setting.is_set && given !== null;
  if (isOpen || typeof given === "string") {
    return (
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <PasswordInput
            aria-label={label}
            value={given ?? ""}
            onChange={text => {
              setOpen(text === "");
              onChange(text === "" ? undefined : text);
            }}
            autoComplete="new-password"
            autoFocus
            words={{ show: say("showSecret"), hide: say("hideSecret") }}
          />
        </div>
        <Button
          onClick={() => {
            setOpen(false);
            onChange(undefined);
          }}
        >
          {say("keepSecret")}
        </Button>
      </div>
    );
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Pill tone={isSet ? "ok" : "quiet"}>{say(isSet ? "secretSet" : "secretNotSet")}</Pill>
      {isLocked(setting) ? null : (
        <Button
          size="sm"
          aria-label={`${say(isSet ? "replace" : "enter")}: ${label}`}
          onClick={() => setOpen(true)}
        >
          {say(isSet ? "replace" : "enter")}
        </Button>
      )}
      {isSet && setting.from === "console" ? (
        <Button size="sm" tone="bad" aria-label={`${say("remove")}: ${label}`} onClick={() => onChange(null)}>
          {say("remove")}
        </Button>
      ) : null}
    </div>
  );
}
