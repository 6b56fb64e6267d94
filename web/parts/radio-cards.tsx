import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { useField, useFieldLabelId } from "./field.tsx";

export type Card<V extends string> = { value: V; title: ReactNode; detail?: ReactNode; disabled?: boolean };

type Props<V extends string> = {
  value: V | null;
  onChange: (value: V) => void;
  cards: readonly Card<V>[];
  /** Where it stands in no field. */
  label?: string;
  columns?: 1 | 2 | 3;
};

const COLUMNS = { 1: "", 2: "sm:grid-cols-2", 3: "sm:grid-cols-3" };

/** A choice whose alternatives need more than a word each. Use it in a `<Field group>`. */
export function RadioCards<V extends string>({ value, onChange, cards, label, columns = 1 }: Props<V>) {
  const labelId = useFieldLabelId();
  const field = useField();
  return (
    <RadioGroup
      value={value}
      onValueChange={next => onChange(next as V)}
      aria-label={label}
      aria-labelledby={label === undefined ? labelId : undefined}
      aria-describedby={field["aria-describedby"]}
      aria-required={field.required}
      className={classNames("grid gap-2", COLUMNS[columns])}
    >
      {cards.map(card => (
        <Radio.Root
          key={card.value}
          value={card.value}
          disabled={card.disabled ?? false}
          className="grid cursor-pointer grid-cols-[18px_1fr] items-start gap-2.5 rounded-lg border border-line-strong bg-panel px-[13px] py-[11px] text-left transition-colors hover:border-edge data-checked:border-accent data-checked:bg-accent-soft data-checked:shadow-[0_0_0_1px_var(--accent)] data-disabled:cursor-not-allowed data-disabled:opacity-60"
        >
          <span className="mt-0.5 grid size-4 place-items-center rounded-full border border-edge bg-panel">
            <Radio.Indicator className="size-2 rounded-full bg-accent" />
          </span>
          <span className="grid min-w-0 gap-0.5">
            <span className="flex flex-wrap items-center gap-1.5 font-semibold">{card.title}</span>
            {card.detail === undefined ? null : <span className="text-ink-2 text-sm">{card.detail}</span>}
          </span>
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
