import { createContext, type ReactNode, use, useId } from "react";
import { useWords } from "../words/language-provider.tsx";
import { classNames } from "./class-names.ts";
import { partWords } from "./part-words.ts";

type Wiring = {
  id: string;
  labelId: string;
  describedBy: string | undefined;
  invalid: boolean;
  required: boolean;
};

const FieldContext = createContext<Wiring | null>(null);

/** What an input inside a field takes over from it: id, label, hint, error. */
export function useField(): {
  id?: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
  required?: true;
} {
  const wiring = use(FieldContext);
  if (wiring === null) return {};
  return {
    id: wiring.id,
    ...(wiring.describedBy === undefined ? {} : { "aria-describedby": wiring.describedBy }),
    ...(wiring.invalid ? { "aria-invalid": true as const } : {}),
    ...(wiring.required ? { required: true as const } : {}),
  };
}

export function useFieldLabelId(): string | undefined {
  return use(FieldContext)?.labelId;
}

type Props = {
  label: ReactNode;
  children: ReactNode;
  hint?: ReactNode;
  /** The sentence of what is wrong. */
  error?: ReactNode;
  required?: boolean;
  optional?: boolean;
  /** For a set of inputs, such as radio cards: the label names the set. */
  group?: boolean;
  className?: string;
};

export function Field({ label, children, hint, error, required, optional, group, className }: Props) {
  const id = useId();
  const say = useWords(partWords);
  const hasError = error !== undefined && error !== null && error !== "";
  const hasHint = hint !== undefined && hint !== null;
  const describedBy =
    [hasError ? `${id}-error` : null, hasHint ? `${id}-hint` : null].filter(Boolean).join(" ") || undefined;
  const Label = group ? "span" : "label";
  return (
    <FieldContext
      value={{ id, labelId: `${id}-label`, describedBy, invalid: hasError, required: required ?? false }}
    >
      <div className={classNames("grid content-start gap-[5px]", className)}>
        <Label
          id={`${id}-label`}
          {...(group ? {} : { htmlFor: id })}
          className="flex items-baseline gap-1.5 font-medium"
        >
          {label}
          {optional ? <span className="font-normal text-ink-3 text-xs">{say("optional")}</span> : null}
        </Label>
        {children}
        {hasError ? (
          <p id={`${id}-error`} role="alert" className="text-bad text-sm">
            {error}
          </p>
        ) : null}
        {hasHint ? (
          <p id={`${id}-hint`} className="text-ink-3 text-xs">
            {hint}
          </p>
        ) : null}
      </div>
    </FieldContext>
  );
}
