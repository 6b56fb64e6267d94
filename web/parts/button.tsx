import { LoaderCircle } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { classNames } from "./class-names.ts";

export type ButtonTone = "plain" | "primary" | "ghost" | "bad" | "bad-solid";
export type ButtonSize = "md" | "sm";

const TONES: Record<ButtonTone, string> = {
  plain: "border-line-strong bg-panel text-ink hover:border-edge hover:bg-sunken",
  primary: "border-accent bg-accent text-accent-ink hover:border-accent-hover hover:bg-accent-hover",
  ghost: "border-transparent bg-transparent text-ink-2 hover:bg-hover hover:text-ink",
  bad: "border-line-strong bg-panel text-bad hover:border-bad hover:bg-bad-soft",
  "bad-solid": "border-bad bg-bad text-bad-ink hover:border-bad-hover hover:bg-bad-hover",
};

const SIZES: Record<ButtonSize, string> = {
  md: "h-[34px] px-[13px] text-base phone:h-10",
  sm: "h-7 px-[9px] text-sm phone:h-9",
};

/** The look alone, for links and triggers that look like buttons. */
export function buttonClass(tone: ButtonTone = "plain", size: ButtonSize = "md"): string {
  return classNames(
    "inline-flex shrink-0 select-none items-center justify-center gap-[7px] whitespace-nowrap rounded-md border font-medium",
    "transition-colors duration-100 disabled:pointer-events-none disabled:opacity-55 aria-disabled:opacity-55",
    TONES[tone],
    SIZES[size],
  );
}

export type ButtonProps = ComponentProps<"button"> & {
  tone?: ButtonTone;
  size?: ButtonSize;
  icon?: ReactNode;
  /** Something runs: it turns and takes no second click. */
  busy?: boolean;
};

export function Button({
  tone,
  size,
  icon,
  busy = false,
  children,
  className,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-busy={busy || undefined}
      aria-disabled={busy || undefined}
      onClick={event => {
        if (busy) event.preventDefault();
        else onClick?.(event);
      }}
      className={classNames(buttonClass(tone, size), className)}
    >
      {busy ? <LoaderCircle size={15} className="animate-spin" aria-hidden /> : icon}
      {children}
    </button>
  );
}
