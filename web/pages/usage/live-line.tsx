import { ArrowUp, Pause, Play } from "lucide-react";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { IconButton } from "../../parts/icon-button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { words } from "./words.ts";

export type LiveState = "live" | "held" | "paused" | "lost";

const LOOKS = {
  live: { word: "live", dot: "bg-ok animate-pulse" },
  held: { word: "liveHeld", dot: "bg-ink-3" },
  paused: { word: "livePaused", dot: "bg-ink-3" },
  lost: { word: "liveLost", dot: "bg-warn" },
} as const;

type Props = { state: LiveState; fresh: number; onPause: (isPaused: boolean) => void; onShow: () => void };

/** Over the list: whether it goes on by itself, and what waits to be let in. */
export function LiveLine({ state, fresh, onPause, onShow }: Props) {
  const say = useWords(words);
  const { word, dot } = LOOKS[state];
  const isPaused = state === "paused";
  return (
    <div className="sticky top-0 z-10 flex min-h-11 items-center justify-between gap-3 rounded-t-[10px] border-line border-b bg-panel py-1.5 pr-2 pl-3.5 phone:top-[49px]">
      <p className="flex min-w-0 items-center gap-2 text-ink-2 text-sm" role="status">
        <i aria-hidden className={classNames("size-2 shrink-0 rounded-full", dot)} />
        <span className="truncate">{say(word)}</span>
      </p>
      <div className="flex items-center gap-1">
        <span aria-live="polite">
          {fresh === 0 ? null : (
            <Button size="sm" tone="primary" icon={<ArrowUp size={14} aria-hidden />} onClick={onShow}>
              {say("fresh", { count: fresh })}
            </Button>
          )}
        </span>
        <IconButton
          label={say(isPaused ? "resume" : "pause")}
          icon={isPaused ? <Play size={15} aria-hidden /> : <Pause size={15} aria-hidden />}
          onClick={() => onPause(!isPaused)}
        />
      </div>
    </div>
  );
}
