import { Checkbox as Base } from "@base-ui/react/checkbox";
import { Check } from "lucide-react";
import { type ReactNode, useId } from "react";

type Props = {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: ReactNode;
  /** What it is called where the label does not say it. */
  name?: string;
  hint?: ReactNode;
  disabled?: boolean;
};

export function Checkbox({ checked, onChange, label, name, hint, disabled = false }: Props) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex items-start gap-2.5">
      <Base.Root
        id={id}
        {...(name === undefined ? {} : { "aria-label": name })}
        checked={checked}
        onCheckedChange={next => onChange(next)}
        disabled={disabled}
        className="mt-0.5 grid size-[18px] shrink-0 place-items-center rounded-[5px] border border-edge bg-panel text-accent-ink data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50"
      >
        <Base.Indicator>
          <Check size={13} strokeWidth={3} aria-hidden />
        </Base.Indicator>
      </Base.Root>
      <span>
        {label}
        {hint === undefined ? null : <span className="block text-ink-3 text-xs">{hint}</span>}
      </span>
    </label>
  );
}
