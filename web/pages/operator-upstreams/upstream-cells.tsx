import { GripVertical } from "lucide-react";
import { useCall } from "../../api/query.ts";
import { formatDuration } from "../../format/number.ts";
import { Pill } from "../../parts/pill.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { Switch } from "../../parts/switch.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { rateText } from "../operator-overview/figure-text.ts";
import { useSentence } from "./sentences.ts";
import { UPSTREAM_READS, type Upstream } from "./upstream-reads.ts";
import { STATE_TONES, stateOf } from "./upstream-state.ts";
import type { useDrag } from "./use-drag.ts";
import { useWhy } from "./why-text.ts";
import { words } from "./words.ts";

type GripProps = ReturnType<ReturnType<typeof useDrag>["grip"]>;

export function Grip({ one, grip, isOff }: { one: Upstream; grip: GripProps; isOff: boolean }) {
  const say = useWords(words);
  return (
    <span className="inline-flex items-center gap-1 align-middle">
      <button
        type="button"
        aria-label={say("grip", { name: one.name })}
        title={say(isOff ? "orderOff" : "gripHint")}
        disabled={isOff}
        className="-ml-1 grid size-8 cursor-grab touch-none place-items-center rounded-md text-ink-3 hover:bg-hover hover:text-ink active:cursor-grabbing disabled:cursor-not-allowed disabled:opacity-40 phone:-ml-3 phone:size-10"
        {...grip}
      >
        <GripVertical size={16} aria-hidden />
      </button>
      <span aria-hidden className="text-ink-3 text-sm md:hidden">
        {say("gripShort")}
      </span>
    </span>
  );
}

export function NameCell({ one }: { one: Upstream }) {
  const say = useWords(words);
  const host = one.base_url === null ? say("builtIn") : hostOf(one.base_url);
  return (
    <span className="grid min-w-0 gap-px">
      <bdi className="break-words font-medium">{one.name}</bdi>
      <span className="break-all text-ink-3 text-xs">
        {one.kind}
        {" · "}
        <bdi>{host}</bdi>
      </span>
    </span>
  );
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

export function StateCell({ one }: { one: Upstream }) {
  const say = useWords(words);
  const state = stateOf(one);
  return <Pill tone={STATE_TONES[state]}>{say(state)}</Pill>;
}

export function HealthCell({ one }: { one: Upstream }) {
  const say = useWords(words);
  const { success_rate: rate, first_byte_ms: ms } = one.health;
  if (rate === null && ms === null) return <span className="text-ink-3">{say("none")}</span>;
  return (
    <span className="grid gap-px whitespace-nowrap phone:inline-flex phone:gap-2">
      <span>{rate === null ? say("none") : rateText(rate, say.language)}</span>
      {ms === null ? null : (
        <span className="text-ink-3 text-xs" title={say("firstByte")}>
          {formatDuration(ms, say.language)}
        </span>
      )}
    </span>
  );
}

export function ErrorCell({ one }: { one: Upstream }) {
  const say = useWords(words);
  const tellWhy = useWhy();
  const last = one.last_error;
  if (last === null) return <span className="text-ink-3">{say("noError")}</span>;
  return (
    <span className="grid min-w-0 gap-px">
      <bdi className="line-clamp-1 max-w-44 break-all phone:max-w-none" title={`${last.model}: ${last.why}`}>
        {tellWhy(last.why)}
      </bdi>
      <span className="text-ink-3 text-xs">
        <RelativeTime at={last.at} />
      </span>
    </span>
  );
}

/** Off is paused: nothing is sent there, and nothing of it is lost. */
export function ActiveCell({ one }: { one: Upstream }) {
  const say = useWords(words);
  const pause = usePause();
  return (
    <span className="-ml-4 flex phone:self-center">
      <Switch
        checked={!one.is_paused}
        disabled={pause.isPending}
        onChange={isActive => pause.set(one, !isActive)}
        label={<span className="sr-only">{say("activeOne", { name: one.name })}</span>}
      />
    </span>
  );
}

export function usePause() {
  const say = useWords(words);
  const tell = useSentence();
  const send = useCall("PATCH /operator/upstreams/{id}", {
    refresh: UPSTREAM_READS,
    onDone: ({ name, is_paused }) => toast(say(is_paused ? "pausedDone" : "resumedDone", { name })),
  });
  const set = ({ id }: Upstream, isPaused: boolean) =>
    send.mutate(
      { params: { id }, body: { is_paused: isPaused } },
      { onError: error => toast(tell(error), { tone: "bad" }) },
    );
  return { set, isPending: send.isPending };
}
