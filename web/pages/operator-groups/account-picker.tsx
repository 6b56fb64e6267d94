import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useApi } from "../../api/query.ts";
import { Combobox } from "../../parts/combobox.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { formWords } from "./form-words.ts";

type Props = {
  /** E-mails. */
  value: readonly string[];
  onChange: (emails: readonly string[]) => void;
  label?: string;
};

/** Several accounts, each found by typing a part of its e-mail. */
export function AccountPicker({ value, onChange, label }: Props) {
  const say = useWords(formWords);
  const accounts = useApi("GET /operator/accounts");
  // A new one after each choice, so that the next can be typed at once.
  const [turn, setTurn] = useState(0);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (turn > 0) place.current?.querySelector("input")?.focus();
  }, [turn]);
  if (accounts.data === undefined && accounts.error !== null) {
    return <ErrorState error={accounts.error} onRetry={() => void accounts.refetch()} />;
  }
  const left = (accounts.data?.accounts ?? []).filter(({ email }) => !value.includes(email));
  return (
    <div ref={place} className="grid gap-2">
      <Combobox
        key={turn}
        value={null}
        clearable={false}
        {...(label === undefined ? {} : { label })}
        placeholder={say("findAccount")}
        options={left.map(({ email }) => ({ value: email, label: email }))}
        onChange={email => {
          if (email === null) return;
          onChange([...value, email]);
          setTurn(turn + 1);
        }}
      />
      {value.length === 0 ? null : (
        <ul className="flex flex-wrap gap-1.5">
          {value.map(email => (
            <li
              key={email}
              className="inline-flex max-w-full items-center gap-0.5 rounded-md border border-line-strong bg-sunken pl-2 text-sm"
            >
              <span className="min-w-0 break-all py-0.5">{email}</span>
              <button
                type="button"
                aria-label={say("takeAway", { email })}
                onClick={() => onChange(value.filter(one => one !== email))}
                className="grid size-7 shrink-0 place-items-center rounded-sm text-ink-3 hover:text-ink phone:size-9"
              >
                <X size={13} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
