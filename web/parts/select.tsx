import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronsUpDown } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { useField, useFieldLabelId } from "./field.tsx";

export type Option<V extends string> = { value: V; label: string; detail?: ReactNode; disabled?: boolean };

type Props<V extends string> = {
  value: V;
  onChange: (value: V) => void;
  options: readonly Option<V>[];
  /** Where it stands in no field. */
  label?: string;
  /** Small, without the width of a form's input. */
  compact?: boolean;
  disabled?: boolean;
  className?: string;
};

export const optionClass =
  "grid cursor-default select-none grid-cols-[16px_1fr] items-center gap-2 rounded-sm py-1.5 pr-3 pl-2 outline-none data-highlighted:bg-hover data-disabled:opacity-50 phone:py-2.5";

export function Select<V extends string>(props: Props<V>) {
  const field = useField();
  const labelId = useFieldLabelId();
  return (
    <Base.Root
      items={props.options.map(({ value, label }) => ({ value, label }))}
      value={props.value}
      onValueChange={value => value !== null && props.onChange(value as V)}
      disabled={props.disabled ?? false}
    >
      <Base.Trigger
        {...(field.id === undefined ? {} : { id: field.id })}
        aria-label={props.label}
        aria-labelledby={props.label === undefined ? labelId : undefined}
        aria-describedby={field["aria-describedby"]}
        aria-invalid={field["aria-invalid"]}
        className={classNames(
          "control flex items-center justify-between gap-2 text-left",
          props.compact && "min-h-8! w-auto! text-sm!",
          props.className,
        )}
      >
        <Base.Value className="truncate" />
        <Base.Icon className="text-ink-3">
          <ChevronsUpDown size={14} aria-hidden />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50 outline-none">
          <Base.Popup className="floating max-h-(--available-height) min-w-(--anchor-width) max-w-[92vw] overflow-y-auto p-1">
            <Base.List>
              {props.options.map(option => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  disabled={option.disabled ?? false}
                  className={optionClass}
                >
                  <span className="text-accent">
                    <Base.ItemIndicator>
                      <Check size={15} aria-hidden />
                    </Base.ItemIndicator>
                  </span>
                  <span className="min-w-0">
                    <Base.ItemText>{option.label}</Base.ItemText>
                    {option.detail === undefined ? null : (
                      <span className="block text-ink-3 text-xs">{option.detail}</span>
                    )}
                  </span>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
