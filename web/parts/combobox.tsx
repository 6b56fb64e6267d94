import { Combobox as Base } from "@base-ui/react/combobox";
import { Check, ChevronsUpDown, X } from "lucide-react";
import { useWords } from "../words/language-provider.tsx";
import { classNames } from "./class-names.ts";
import { useField, useFieldLabelId } from "./field.tsx";
import { partWords } from "./part-words.ts";
import { type Option, optionClass } from "./select.tsx";

type Props = {
  /** Null: nothing chosen. */
  value: string | null;
  onChange: (value: string | null) => void;
  options: readonly Option<string>[];
  placeholder?: string;
  label?: string;
  mono?: boolean;
  compact?: boolean;
  /** Whether it may be emptied. */
  clearable?: boolean;
  className?: string;
};

const buttonClass = "grid h-full w-7 place-items-center text-ink-3 hover:text-ink";

/** A choice among many that is searched by typing. */
export function Combobox({ value, onChange, options, clearable = true, ...props }: Props) {
  const field = useField();
  const labelId = useFieldLabelId();
  const say = useWords(partWords);
  const chosen = options.find(option => option.value === value) ?? null;
  return (
    <Base.Root
      modal
      items={options}
      value={chosen}
      onValueChange={option => onChange(option?.value ?? null)}
      isItemEqualToValue={(a, b) => a.value === b.value}
    >
      <Base.InputGroup
        className={classNames(
          "control flex items-center pr-1!",
          props.compact && "min-h-8! text-sm!",
          props.className,
        )}
      >
        <Base.Input
          {...field}
          aria-label={props.label}
          aria-labelledby={props.label === undefined ? labelId : undefined}
          placeholder={props.placeholder}
          className={classNames(
            "min-h-[30px] w-full min-w-0 bg-transparent",
            props.mono && "font-mono text-sm",
          )}
        />
        {clearable ? (
          <Base.Clear aria-label={say("clear")} className={buttonClass}>
            <X size={14} aria-hidden />
          </Base.Clear>
        ) : null}
        <Base.Trigger aria-label={say("open")} className={buttonClass}>
          <ChevronsUpDown size={14} aria-hidden />
        </Base.Trigger>
      </Base.InputGroup>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-50 outline-none">
          <Base.Popup className="floating max-h-[min(340px,var(--available-height))] w-(--anchor-width) min-w-56 max-w-[92vw] overflow-y-auto p-1">
            <Base.Empty className="px-2 py-2 text-ink-3 empty:hidden">{say("nothingFound")}</Base.Empty>
            <Base.List>
              {(option: Option<string>) => (
                <Base.Item key={option.value} value={option} className={optionClass}>
                  <span className="text-accent">
                    <Base.ItemIndicator>
                      <Check size={15} aria-hidden />
                    </Base.ItemIndicator>
                  </span>
                  <span className={classNames("min-w-0 break-all", props.mono && "font-mono text-sm")}>
                    {option.label}
                    {option.detail === undefined ? null : (
                      <span className="block font-sans text-ink-3 text-xs">{option.detail}</span>
                    )}
                  </span>
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
