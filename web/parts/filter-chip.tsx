import { ChevronDown, X } from "lucide-react";
import type { ReactNode } from "react";
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

const baseClass =
  "inline-flex h-7 items-center gap-1 rounded-sm border px-2 text-sm transition-colors phone:h-9 phone:px-2.5";

export function chipClass(isChosen: boolean): string {
  return classNames(
    baseClass,
    "min-w-0 max-w-64",
    isChosen
      ? "rounded-r-none border-accent bg-accent-soft font-medium text-ink"
      : "border-line-strong bg-panel text-ink-2 hover:border-edge hover:text-ink",
  );
}

type ChosenProps = { name: string; isChosen: boolean; onRemove: () => void; children: ReactNode };

/** A chip with, where a choice is made, the cross that takes it away. */
export function ChosenChip({ name, isChosen, onRemove, children }: ChosenProps) {
  const say = useWords(partWords);
  return (
    <span className="inline-flex max-w-full items-center">
      {children}
      {isChosen ? (
        <button
          type="button"
          aria-label={say("removeFilter", { name })}
          onClick={onRemove}
          className={classNames(baseClass, "rounded-l-none border-accent border-l-0 bg-accent-soft px-1!")}
        >
          <X size={13} aria-hidden />
        </button>
      ) : null}
    </span>
  );
}

/** “State: all ▾”; with a choice made it stands out and has a cross to take it away. */
export function FilterChip<V extends string>({ name, value, onChange, options }: Props<V>) {
  const say = useWords(partWords);
  const chosen = options.find(option => option.value === value);
  return (
    <ChosenChip name={name} isChosen={chosen !== undefined} onRemove={() => onChange(null)}>
      <Menu
        trigger={
          <button type="button" className={chipClass(chosen !== undefined)}>
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
    </ChosenChip>
  );
}
