import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

/** Reached by Tab, so that it scrolls by keyboard too. */
const REACHABLE = { tabIndex: 0 };

export function ScrollRegion({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <section
      aria-label={label}
      {...REACHABLE}
      className={classNames("overflow-auto outline-offset-[-2px]", className)}
    >
      {children}
    </section>
  );
}
