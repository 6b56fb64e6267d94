import { ChevronDown, X } from "lucide-react";
import { useWords } from "../words/language-provider.tsx";
import { classNames } from "./class-names.ts";
import { Menu } from "./menu.tsx";
import { partWords } from "./part-words.ts";

type Props<V extends string> = {
  /** What is filtered by: “State”. */
  name: string;
  /** Null: all. */
  value: V | null;
  onChange: (value: V | null) => void;
  options: readonly { value: V; label: string }[];
};

const chipClass =
  "inline-flex h-7 items-center gap-1 rounded-sm border px-2 text-sm transition-colors phone:h-9 phone:px-2.5";

/** “State: all ▾”; with a choice made it stands out and has a cross to take it away. */
export function FilterChip<V extends string>({ name, value, onChange, options }: Props<V>) {
  const say = useWords(partWords);
  const chosen = options.find(option => option.value === value);
  return (
    <span className="inline-flex max-w-full items-center">
      <Menu
        trigger={
          <button
            type="button"
            className={classNames(
              chipClass,
              "min-w-0 max-w-64",
              chosen === undefined
                ? "border-line-strong bg-panel text-ink-2 hover:border-edge hover:text-ink"
                : "rounded-r-none border-accent bg-accent-soft font-medium text-ink",
            )}
          >
            <span className="truncate">
              {name}
              {": "}
              {chosen?.label ?? value ?? say("all")}
            </span>
            <ChevronDown size={13} className="shrink-0 text-ink-3" aria-hidden />
          </button>
        }
        align="start"
        entries={[
          { label: say("all"), onSelect: () => onChange(null), checked: value === null },
          "line",
          ...options.map(option => ({
            label: option.label,
            onSelect: () => onChange(option.value),
            checked: option.value === value,
          })),
        ]}
      />
      {chosen === undefined ? null : (
        <button
          type="button"
          aria-label={say("removeFilter", { name })}
          onClick={() => onChange(null)}
          className={classNames(chipClass, "rounded-l-none border-accent border-l-0 bg-accent-soft px-1!")}
        >
          <X size={13} aria-hidden />
        </button>
      )}
    </span>
  );
}
