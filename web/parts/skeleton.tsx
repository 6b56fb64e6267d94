import { classNames } from "./class-names.ts";

/** Stands where something will be; give it the size of it. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classNames("skeleton block", className ?? "h-4 w-full")} />;
}
