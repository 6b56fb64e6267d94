import { now } from "../../format/clock.ts";
import { compareMoney } from "../../format/money.ts";
import { formatRelative, formatTime } from "../../format/time.ts";
import { Pill, type PillTone } from "../../parts/pill.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Key } from "./draft.ts";
import { words } from "./words.ts";

type Shown = "active" | "disabled" | "expired" | "deleted" | "usedUp" | "groupOff";

const TONES: Record<Shown, PillTone> = {
  active: "ok",
  disabled: "quiet",
  expired: "warn",
  deleted: "bad",
  usedUp: "warn",
  groupOff: "warn",
};

/** A key that is on may still be refused, and then it is not called active. */
export function shownState({ state, quota_usd, spent_usd, group }: Key): Shown {
  if (state !== "active") return state;
  if (!group.enabled) return "groupOff";
  return quota_usd !== null && compareMoney(spent_usd, quota_usd) >= 0 ? "usedUp" : "active";
}

export function StateCell({ row }: { row: Key }) {
  const say = useWords(words);
  const shown = shownState(row);
  const when = (iso: string) => formatRelative(iso, now(), say.language);
  const { expires_at: expires, old_string_until: old, state } = row;
  return (
    <div className="grid justify-items-start gap-0.5 phone:justify-items-end">
      <Pill tone={TONES[shown]}>{say(shown)}</Pill>
      {expires === null || state === "deleted" ? null : (
        <small className="whitespace-nowrap text-ink-3 text-xs" title={formatTime(expires, say.language)}>
          {say(state === "expired" ? "expiredWhen" : "expires", { when: when(expires) })}
        </small>
      )}
      {old === null ? null : (
        <small className="whitespace-nowrap text-warn text-xs" title={formatTime(old, say.language)}>
          {say("oldUntil", { when: when(old) })}
        </small>
      )}
    </div>
  );
}
