import { Menu, type MenuEntry } from "../../parts/menu.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Open } from "./open-dialog.tsx";
import { lastPlace, movedTo, placeOf, type Tiers } from "./order.ts";
import type { Upstream } from "./upstream-reads.ts";
import { isResting } from "./upstream-state.ts";
import { useReset } from "./use-reset.ts";
import { words } from "./words.ts";

type Props = {
  one: Upstream;
  all: readonly Upstream[];
  tiers: Tiers;
  onOrder: (tiers: Tiers) => void;
  onShow: (open: Open) => void;
  onOpen: (one: Upstream) => void;
};

export function UpstreamMenu({ one, all, tiers, onOrder, onShow, onOpen }: Props) {
  const say = useWords(words);
  const reset = useReset();
  const { id } = one;
  const place = placeOf(tiers, id);
  const isShared = place % 2 === 1;
  const tierAt = Math.floor(place / 2);
  const above = tiers[tierAt - 1]?.[0];
  const aboveName = all.find(other => other.id === above)?.name ?? "";
  /** Alone before or after whom it stands beside now. */
  const moveBy = (by: -1 | 1) => {
    const next = isShared ? place + by : place + 2 * by;
    onOrder(movedTo(tiers, id, Math.min(lastPlace(tiers, id), Math.max(0, next))));
  };
  const entries: MenuEntry[] = [
    { label: say("open"), onSelect: () => onOpen(one) },
    { label: say("edit"), onSelect: () => onShow({ what: "edit", one }) },
    { label: say("testCall"), onSelect: () => onShow({ what: "test", one }) },
    ...(isResting(one) ? [{ label: say("reset"), onSelect: () => reset.send(one) }] : []),
    "line",
    { label: say("moveUp"), disabled: place === 0, onSelect: () => moveBy(-1) },
    { label: say("moveDown"), disabled: place === lastPlace(tiers, id), onSelect: () => moveBy(1) },
    ...(isShared
      ? [{ label: say("standAlone"), onSelect: () => moveBy(1) }]
      : above === undefined
        ? []
        : [
            {
              label: say("shareAbove", { name: aboveName }),
              onSelect: () => onOrder(movedTo(tiers, id, place - 1)),
            },
          ]),
    "line",
    { label: say("remove"), tone: "bad", onSelect: () => onShow({ what: "remove", one, all }) },
  ];
  return <Menu label={say("moreFor", { name: one.name })} entries={entries} />;
}
