import { CircleAlert, CircleCheck, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export type BannerTone = "info" | "ok" | "warn" | "bad" | "quiet";

const LOOKS = {
  info: { Icon: Info, box: "bg-info-soft", icon: "text-info" },
  ok: { Icon: CircleCheck, box: "bg-ok-soft", icon: "text-ok" },
  warn: { Icon: TriangleAlert, box: "bg-warn-soft", icon: "text-warn" },
  bad: { Icon: CircleAlert, box: "bg-bad-soft", icon: "text-bad" },
  quiet: { Icon: Info, box: "bg-sunken shadow-[inset_0_0_0_1px_var(--line)]", icon: "text-ink-3" },
};

type Props = {
  tone?: BannerTone;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  className?: string;
};

/** Something to know here and now. What went wrong (`bad`) is read out at once. */
export function Banner({ tone = "info", title, children, action, className }: Props) {
  const { Icon, box, icon } = LOOKS[tone];
  return (
    <div
      role={tone === "bad" ? "alert" : undefined}
      className={classNames(
        "flex flex-wrap items-start gap-2.5 rounded-md px-3 py-2.5 text-ink",
        box,
        className,
      )}
    >
      <div className="flex min-w-0 flex-1 basis-56 gap-2.5">
        <Icon size={16} className={classNames("mt-[2.5px] shrink-0", icon)} aria-hidden />
        <div className="min-w-0 flex-1">
          {title === undefined ? null : <p className="font-medium">{title}</p>}
          {children === undefined ? null : (
            <div className={title === undefined ? "" : "text-ink-2"}>{children}</div>
          )}
        </div>
      </div>
      {action}
    </div>
  );
}
