import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names.ts";

export const iconButtonClass =
  "inline-flex size-8 shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors hover:bg-hover hover:text-ink disabled:opacity-55 phone:size-10 data-popup-open:bg-hover data-popup-open:text-ink";

type Props = Omit<ComponentProps<"button">, "children"> & {
  /** Said to who cannot see the icon, and shown over it. */
  label: string;
  icon: ReactNode;
  pressed?: boolean;
};

export function IconButton({ label, icon, pressed, className, ...rest }: Props) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      {...rest}
      className={classNames(iconButtonClass, className)}
    >
      {icon}
    </button>
  );
}
