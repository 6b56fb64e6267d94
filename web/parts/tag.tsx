import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

/** A small fact, such as a multiplier or a dialect. */
export function Tag({ children, mono }: { children: ReactNode; mono?: boolean }) {
  return (
    <span
      className={classNames(
        "inline-block max-w-full truncate rounded-sm border border-line-strong px-[7px] py-px align-middle font-normal text-ink-2 text-xs",
        mono && "font-mono",
      )}
    >
      {children}
    </span>
  );
}
