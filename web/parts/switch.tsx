import { Switch as Base } from "@base-ui/react/switch";
import { type ReactNode, useId } from "react";

type Props = {
  checked: boolean;
  onChange: (checked: boolean) => void;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean;
};

export function Switch({ checked, onChange, label, hint, disabled = false }: Props) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex items-start justify-between gap-4">
      <span>
        <span className="font-medium">{label}</span>
        {hint === undefined ? null : <span className="block text-ink-3 text-xs">{hint}</span>}
      </span>
      <Base.Root
        id={id}
        checked={checked}
        onCheckedChange={next => onChange(next)}
        disabled={disabled}
        className="flex h-[22px] w-[38px] shrink-0 items-center rounded-full border border-edge bg-sunken p-[2px] transition-colors data-checked:border-accent data-checked:bg-accent data-disabled:opacity-50"
      >
        <Base.Thumb className="size-4 rounded-full bg-edge transition-transform data-checked:translate-x-4 data-checked:bg-accent-ink" />
      </Base.Root>
    </label>
  );
}
