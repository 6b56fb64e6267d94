import type { ReactNode } from "react";
import { useField } from "./field.tsx";

type Props = {
  /** As typed: the text is kept, so that an amount stays exact. Empty means none. */
  value: string;
  onChange: (value: string) => void;
  /** Whole numbers, or decimals such as an amount in USD. */
  kind?: "whole" | "decimal";
  prefix?: ReactNode;
  suffix?: ReactNode;
  placeholder?: string;
  disabled?: boolean;
  name?: string;
};

const TAKEN = { whole: /^\d*$/, decimal: /^\d*([.]\d*)?$/ };

/** A number as text: other characters are not taken, a comma counts as the point, and nothing is rounded. */
export function NumberInput({ value, onChange, kind = "whole", prefix, suffix, ...rest }: Props) {
  const field = useField();
  return (
    <div className="control flex items-center gap-1.5" data-invalid={field["aria-invalid"]}>
      {prefix === undefined ? null : <span className="text-ink-3">{prefix}</span>}
      <input
        {...field}
        {...rest}
        type="text"
        inputMode={kind === "whole" ? "numeric" : "decimal"}
        autoComplete="off"
        value={value}
        onChange={event => {
          const typed = event.target.value.replaceAll(/[\s_]/g, "").replace(",", ".");
          if (TAKEN[kind].test(typed)) onChange(typed);
        }}
        className="min-h-[34px] w-full min-w-0 bg-transparent tabular-nums phone:text-[16px]"
      />
      {suffix === undefined ? null : <span className="shrink-0 text-ink-3 text-sm">{suffix}</span>}
    </div>
  );
}
