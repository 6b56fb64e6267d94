import type { ReactNode } from "react";
import { classNames } from "./class-names.ts";

export type PillTone = "ok" | "warn" | "bad" | "info" | "quiet";

const TONES: Record<PillTone, string> = {
  ok: "bg-ok-soft text-ok",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  info: "bg-info-soft text-info",
  quiet: "bg-hover text-ink-2",
};

/** A state, with a dot so that colour is not the only sign. */
export function Pill({
  tone = "quiet",
  children,
  pulse,
}: {
  tone?: PillTone;
  children: ReactNode;
  pulse?: boolean;
}) {
  return (
    <span
      className={classNames(
        "inline-flex h-[22px] max-w-full items-center gap-1.5 whitespace-nowrap rounded-full px-2 font-medium text-xs",
        TONES[tone],
      )}
    >
      <i
        aria-hidden
        className={classNames("size-1.5 shrink-0 rounded-full bg-current", pulse && "animate-pulse")}
      />
      <span className="truncate">{children}</span>
    </span>
  );
}
