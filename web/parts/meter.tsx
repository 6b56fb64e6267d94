import { Meter as Base } from "@base-ui/react/meter";
import { classNames } from "./class-names.ts";

type Props = {
  /** Between 0 and 1. */
  share: number;
  /** What it measures, for who cannot see it, such as “$3.1180 of $5.00”. */
  label: string;
  className?: string;
};

const WARN_FROM = 0.8;

export function Meter({ share, label, className }: Props) {
  const part = Math.min(1, Math.max(0, share));
  const tone = part >= 1 ? "bg-bad" : part >= WARN_FROM ? "bg-warn" : "bg-accent";
  return (
    <Base.Root
      value={Math.round(part * 100)}
      aria-label={label}
      className={classNames("w-[110px]", className)}
    >
      <Base.Track className="h-[5px] overflow-hidden rounded-[3px] bg-line">
        <Base.Indicator className={classNames("rounded-[3px]", tone)} />
      </Base.Track>
    </Base.Root>
  );
}
