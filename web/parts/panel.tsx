import { type ReactNode, useId } from "react";
import { classNames } from "./class-names.ts";

type Props = {
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Without padding, for a table. */
  flush?: boolean;
  className?: string;
};

/** A part of a page, with its heading. */
export function Panel({ title, description, actions, children, flush, className }: Props) {
  const id = useId();
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className={classNames("panel", className)}
    >
      {title === undefined && actions === undefined ? null : (
        <header className="flex flex-wrap items-start justify-between gap-2 px-4 pt-3.5 pb-2">
          <div className="min-w-0">
            <h2 id={id} className="font-semibold text-lg">
              {title}
            </h2>
            {description === undefined ? null : <p className="text-ink-2 text-sm">{description}</p>}
          </div>
          {actions === undefined ? null : <div className="flex flex-wrap gap-2">{actions}</div>}
        </header>
      )}
      <div className={flush ? "" : title === undefined ? "p-4" : "px-4 pt-1 pb-4"}>{children}</div>
    </section>
  );
}
