import { Search, X } from "lucide-react";
import type { RefObject } from "react";
import { useWords } from "../words/language-provider.tsx";
import { partWords } from "./part-words.ts";

type Props = {
  value: string;
  onChange: (value: string) => void;
  /** What is searched, as placeholder and name: “Find a key”. */
  label: string;
  inputRef?: RefObject<HTMLInputElement | null>;
};

export function SearchInput({ value, onChange, label, inputRef }: Props) {
  const say = useWords(partWords);
  return (
    <div className="control flex min-h-8! max-w-72 items-center gap-2 border-line-strong! bg-sunken! phone:max-w-none">
      <Search size={15} className="shrink-0 text-ink-3" aria-hidden />
      <input
        ref={inputRef}
        type="search"
        value={value}
        aria-label={label}
        placeholder={label}
        onChange={event => onChange(event.target.value)}
        onKeyDown={event => event.key === "Escape" && value !== "" && onChange("")}
        className="h-[30px] w-full min-w-0 bg-transparent phone:h-9 phone:text-[16px] [&::-webkit-search-cancel-button]:hidden"
      />
      {value === "" ? null : (
        <button
          type="button"
          aria-label={say("clear")}
          onClick={() => onChange("")}
          className="grid size-6 shrink-0 place-items-center rounded-sm text-ink-3 hover:text-ink"
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </div>
  );
}
