import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { classNames } from "../../parts/class-names.ts";

type Props = {
  title: ReactNode;
  /** What it says while closed, such as what is set inside. */
  value?: ReactNode;
  children: ReactNode;
  open?: boolean;
  onToggle?: (open: boolean) => void;
  look?: "box" | "plain";
};

/** A part of a form that most people leave closed. */
export function Disclosure({ title, value, children, open, onToggle, look = "box" }: Props) {
  return (
    <details
      open={open ?? false}
      onToggle={event => onToggle?.(event.currentTarget.open)}
      className={classNames("group/more", look === "box" && "rounded-lg border border-line-strong")}
    >
      <summary
        className={classNames(
          "flex cursor-pointer select-none list-none items-center gap-1.5 rounded-lg [&::-webkit-details-marker]:hidden",
          look === "box"
            ? "px-3 py-2.5 font-medium phone:py-3"
            : "w-fit py-1 text-ink-2 text-sm hover:text-ink",
        )}
      >
        <ChevronRight
          size={15}
          className="shrink-0 text-ink-3 transition-transform group-open/more:rotate-90"
          aria-hidden
        />
        <span className="min-w-0 flex-1">{title}</span>
        {value === undefined ? null : (
          <span className="min-w-0 max-w-[55%] truncate font-normal text-ink-3 text-sm">{value}</span>
        )}
      </summary>
      <div className={look === "box" ? "grid gap-3.5 border-line border-t px-3 pt-3 pb-3.5" : "pt-1"}>
        {children}
      </div>
    </details>
  );
}
