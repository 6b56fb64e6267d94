import { CalendarRange } from "lucide-react";
import { lazy, Suspense, useRef, useState } from "react";
import { formatTime } from "../format/time.ts";
import { useLanguage, useWords } from "../words/language-provider.tsx";
import { Button } from "./button.tsx";
import { partWords } from "./part-words.ts";
import { Segmented } from "./segmented.tsx";

export type RangePreset = "today" | "7d" | "30d" | "90d";
/** `from` and `to` are days such as 2026-11-03, both included. */
export type Range = { preset: RangePreset } | { preset: "custom"; from: string; to: string };

type Props = { value: Range; onChange: (range: Range) => void; label: string };

const DAYS: Record<Exclude<RangePreset, "today">, number> = { "7d": 7, "30d": 30, "90d": 90 };

const load = () => import("./date-range-popup.tsx");
const Popup = lazy(async () => ({ default: (await load()).DateRangePopup }));

/** Today, the last days, or any two days. */
export function DateRange({ value, onChange, label }: Props) {
  const say = useWords(partWords);
  const options: { value: RangePreset | "custom"; label: string }[] = [
    { value: "today", label: say("today") },
    { value: "7d", label: say("days", { count: DAYS["7d"] }) },
    { value: "30d", label: say("days", { count: DAYS["30d"] }) },
    { value: "90d", label: say("days", { count: DAYS["90d"] }) },
  ];
  return (
    <div className="flex max-w-full flex-wrap items-center gap-2">
      <Segmented
        label={label}
        value={value.preset}
        onChange={preset => preset !== "custom" && onChange({ preset })}
        options={options}
      />
      <CustomRange value={value} onChange={onChange} />
    </div>
  );
}

function CustomRange({ value, onChange }: Omit<Props, "label">) {
  const say = useWords(partWords);
  const { language } = useLanguage();
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  const day = (text: string) => formatTime(`${text}T12:00:00`, language, "day");
  const near = () => void load();
  return (
    <>
      <Button
        ref={anchor}
        size="sm"
        icon={<CalendarRange size={14} aria-hidden />}
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerEnter={near}
        onFocus={near}
        onClick={() => setOpen(true)}
      >
        {value.preset === "custom" ? `${day(value.from)} – ${day(value.to)}` : say("customRange")}
      </Button>
      {open ? (
        <Suspense fallback={null}>
          <Popup value={value} onChange={onChange} anchor={anchor} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
