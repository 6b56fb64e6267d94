import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";
import { useField } from "./field.tsx";

type Props = Omit<ComponentProps<"textarea">, "onChange"> & {
  onChange?: (value: string) => void;
  mono?: boolean;
};

export function TextArea({ onChange, mono, className, rows = 3, ...rest }: Props) {
  const field = useField();
  return (
    <textarea
      {...field}
      {...rest}
      rows={rows}
      onChange={event => onChange?.(event.target.value)}
      className={classNames(
        "control resize-y py-2 phone:text-[16px]!",
        mono && "font-mono text-sm!",
        className,
      )}
    />
  );
}
