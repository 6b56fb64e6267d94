import type { ReactNode } from "react";

type Props = {
  icon?: ReactNode;
  title: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  /** Where it is the whole page. */
  isPage?: boolean;
};

/** Nothing here yet: what it is for and what to do next. */
export function EmptyState({ icon, title, children, action, isPage }: Props) {
  const Title = isPage ? "h1" : "p";
  return (
    <div className="grid justify-items-center gap-1.5 px-6 py-12 text-center">
      {icon === undefined ? null : (
        <span className="mb-2 grid size-11 place-items-center rounded-full bg-accent-soft text-accent">
          {icon}
        </span>
      )}
      <Title className="font-semibold text-lg">{title}</Title>
      {children === undefined ? null : <div className="max-w-md text-balance text-ink-2">{children}</div>}
      {action === undefined ? null : <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
