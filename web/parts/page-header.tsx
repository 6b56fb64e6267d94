import type { ReactNode } from "react";
import { usePageTitle } from "../app/page-title.ts";

type Props = { title: string; description?: ReactNode; actions?: ReactNode };

/** The page's one h1, which also names the tab and takes the focus on arrival. */
export function PageHeader({ title, description, actions }: Props) {
  usePageTitle(title);
  return (
    <header className="mb-[18px] flex flex-wrap items-end justify-between gap-x-4 gap-y-3">
      <div className="min-w-0">
        <h1 tabIndex={-1} className="font-semibold text-2xl tracking-[-0.01em]">
          {title}
        </h1>
        {description === undefined ? null : <p className="mt-0.5 text-ink-2">{description}</p>}
      </div>
      {actions === undefined ? null : (
        <div className="flex flex-wrap items-center gap-2 phone:flex-row-reverse">{actions}</div>
      )}
    </header>
  );
}
