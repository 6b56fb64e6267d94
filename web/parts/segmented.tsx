import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";
import type { ReactNode } from "react";

type Props<V extends string> = {
  value: V;
  onChange: (value: V) => void;
  options: readonly { value: V; label: ReactNode }[];
  label: string;
};

/** A small choice in one line, such as 7, 30 or 90 days. */
export function Segmented<V extends string>({ value, onChange, options, label }: Props<V>) {
  return (
    <RadioGroup
      value={value}
      onValueChange={next => onChange(next as V)}
      aria-label={label}
      className="flex w-fit max-w-full gap-0.5 overflow-x-auto rounded-md bg-sunken p-0.5 shadow-[inset_0_0_0_1px_var(--line)]"
    >
      {options.map(option => (
        <Radio.Root
          key={option.value}
          value={option.value}
          className="shrink-0 cursor-pointer whitespace-nowrap rounded-sm px-2.5 py-1 text-ink-2 text-sm hover:text-ink data-checked:bg-panel data-checked:font-medium data-checked:text-ink data-checked:shadow-[0_0_0_1px_var(--line-strong)] phone:py-1.5"
        >
          {option.label}
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
