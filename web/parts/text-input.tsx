import type { ComponentProps } from "react";
import { classNames } from "./class-names.ts";
import { useField } from "./field.tsx";

type Props = Omit<ComponentProps<"input">, "onChange"> & {
  onChange?: (value: string) => void;
  mono?: boolean;
};

export function TextInput({ onChange, mono, className, ...rest }: Props) {
  const field = useField();
  return (
    <input
      type="text"
      {...field}
      {...rest}
      onChange={event => onChange?.(event.target.value)}
      className={classNames("control phone:text-[16px]!", mono && "font-mono text-sm!", className)}
    />
  );
}
