import type { Say } from "../../words/say.ts";
import { type Tiers, without } from "./order.ts";
import type { words } from "./words.ts";

type Sayer = Say<(typeof words)["en"]>;

/** Where a place is, in words. */
export function placeText(
  say: Sayer,
  { tiers, id, place, nameOf }: { tiers: Tiers; id: string; place: number; nameOf: (id: string) => string },
): string {
  const others = without(tiers, id);
  const names = (at: number) => (others[at] ?? []).map(nameOf).join(", ");
  const at = Math.floor(place / 2);
  if (place % 2 === 1) return say("placeWith", { names: names(at) });
  if (at === 0) return say("placeFirst");
  if (at === others.length) return say("placeLast");
  return say("placeBetween", { before: names(at - 1), after: names(at) });
}
