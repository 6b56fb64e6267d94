import { Button } from "../../parts/button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Person } from "./account-reads.ts";
import type { Open } from "./open-dialog.tsx";
import { words } from "./words.ts";

/** As many as the server changes in one go, all of it or none. */
const MANY_MAX = 500;

type Props = {
  people: readonly Person[];
  onShow: (open: Open) => void;
  /** Null where all of them are selected. */
  onAll: (() => void) | null;
  onClear: () => void;
};

/** What can be done with the selected accounts together. */
export function SelectionBar({ people, onShow, onAll, onClear }: Props) {
  const say = useWords(words);
  const isTooMany = people.length > MANY_MAX;
  const act = (open: Open) => ({ size: "sm" as const, disabled: isTooMany, onClick: () => onShow(open) });
  return (
    <section
      aria-label={say("forSelected")}
      className="flex flex-wrap items-center gap-2 border-line border-b bg-accent-soft px-3 py-2"
    >
      <span className="mr-1 font-medium" aria-live="polite">
        {say("selected", { count: people.length })}
      </span>
      <Button {...act({ what: "money", people })}>{say("credit")}</Button>
      <Button {...act({ what: "subscribe", people })}>{say("givePlan")}</Button>
      <Button {...act({ what: "state", people, enabled: true })}>{say("enable")}</Button>
      <Button tone="bad" {...act({ what: "state", people, enabled: false })}>
        {say("disable")}
      </Button>
      {isTooMany ? <span className="text-bad text-sm">{say("tooMany", { most: MANY_MAX })}</span> : null}
      <span className="ml-auto flex flex-wrap gap-1 phone:ml-0">
        {onAll === null ? null : (
          <Button size="sm" tone="ghost" onClick={onAll}>
            {say("selectAll")}
          </Button>
        )}
        <Button size="sm" tone="ghost" onClick={onClear}>
          {say("clearSelection")}
        </Button>
      </span>
    </section>
  );
}
