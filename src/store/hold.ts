import type { Refusal } from "../domain/errors.ts";
import type { Nanos } from "../domain/money.ts";
import { type Bound, noPurse, type PocketRows, type Purse, spendable } from "../domain/pocket.ts";
import {
  type CountedWindow,
  newWindow,
  rolled,
  type SpendWindow,
  type WindowName,
  windowKey,
} from "../domain/spend-window.ts";
import type { LedgerWrites, OpenHold } from "./ledger.ts";

/** How far a hold can grow: the amount, who would pay, where it would count, and who does not give all of it. */
export type Room = {
  most: Nanos;
  purse: Purse | null;
  bounds: readonly Bound[];
  atMs: number;
  refusal: Refusal | null;
};

/** Puts holds on the rows of one key and its account, and takes them off: every place that counts one, together. */
export class HoldMover {
  constructor(
    readonly owners: PocketRows,
    readonly windows: Map<string, SpendWindow>,
    readonly writes: LedgerWrites,
    readonly nowMs: number,
  ) {}

  begin(hold: OpenHold, counts: { windows: readonly WindowName[]; atMs: number }): void {
    this.#holdOnRows(hold, hold.hold);
    if (counts.windows.length > 0)
      hold.windows = counts.windows.map(name => this.#count(name, hold.hold, counts.atMs));
  }

  /** A hold whose period is over has to find room for all of it in the next one; where it does not, it stays. */
  roomFor(hold: OpenHold, wanted: Nanos): Room {
    const { purses, bounds: all, atMs } = spendable(this.owners, this.nowMs);
    const bounds = all.filter(bound => concerns(bound, hold));
    let bounded = wanted;
    let short: Bound | null = null;
    for (const bound of bounds) {
      const most = bound.left + this.#countedIn(bound, hold, atMs);
      if (most >= bounded) continue;
      bounded = most;
      short = bound;
    }
    let best: { most: Nanos; purse: Purse | null } = { most: hold.hold, purse: null };
    for (const purse of ownFirst(purses, hold)) {
      const own = purse.pocket === hold.pocket ? this.#countedIn(purse.bound, hold, atMs) : 0n;
      const most = least(bounded, own + purse.bound.left);
      if (most > best.most) best = { most, purse };
    }
    const room = { ...best, bounds, atMs };
    if (best.most >= wanted) return { ...room, refusal: null };
    const named = short !== null && best.most >= bounded ? short : purses.at(-1)?.bound;
    return { ...room, refusal: named?.refuse(wanted) ?? noPurse(this.owners, wanted) };
  }

  /** Where another pocket than the first pays for the longer answer, it pays for all of it. */
  grow(hold: OpenHold, amount: Nanos, room: Room): void {
    this.#place(hold, room);
    const more = amount - hold.hold;
    this.#holdOnRows(hold, more);
    for (const counted of hold.windows) {
      const window = this.#running(counted);
      if (window !== null) window.held += more;
    }
    hold.hold = amount;
    this.writes.extended.add(hold);
  }

  /** The hold goes from every row that has it, and what was spent takes its place. */
  end(hold: OpenHold, cost: Nanos): void {
    this.#holdOnRows(hold, -hold.hold);
    this.owners.key.spent += cost;
    if (hold.pocket === "balance") this.owners.account.balance -= cost;
    for (const counted of hold.windows) {
      const window = this.#running(counted);
      if (window === null) continue;
      window.held -= hold.hold;
      window.spent += cost;
    }
  }

  #windowAt(name: WindowName, atMs: number): SpendWindow {
    const found = this.windows.get(windowKey(name)) ?? newWindow(name);
    const { startMs, spent, held, clockBack } = rolled(found, atMs);
    Object.assign(found, { startMs, spent, held, clockBack });
    this.windows.set(windowKey(name), found);
    this.writes.dirtyWindows.add(found);
    return found;
  }

  #count(name: WindowName, amount: Nanos, atMs: number): CountedWindow {
    const window = this.#windowAt(name, atMs);
    window.held += amount;
    return { ownerId: name.ownerId, period: name.period, startMs: window.startMs };
  }

  /** The window that a hold counts in; none where its period is over. */
  #running({ ownerId, period, startMs }: CountedWindow): SpendWindow | null {
    const window = this.windows.get(windowKey({ ownerId, period }));
    if (window === undefined || window.startMs !== startMs) return null;
    this.writes.dirtyWindows.add(window);
    return window;
  }

  #holdOnRows({ pocket }: OpenHold, amount: Nanos): void {
    const { key, account } = this.owners;
    key.held += amount;
    if (pocket === "balance") account.held += amount;
    this.writes.dirtyKeys.add(key);
    this.writes.dirtyAccounts.add(account);
  }

  /** What of a hold its bound counts already: nothing where the period in which it was made is over. */
  #countedIn({ window }: Bound, hold: OpenHold, atMs: number): Nanos {
    if (window === null) return hold.hold;
    const counted = hold.windows.find(one => isSame(one, window));
    const found = this.windows.get(windowKey(window));
    if (counted === undefined || found?.startMs !== counted.startMs) return 0n;
    return usedOf(rolled(found, atMs)) - usedOf(rolled({ ...found, held: found.held - hold.hold }, atMs));
  }

  /** Puts the hold, as large as it is, into the pocket and the periods that it is to grow in. */
  #place(hold: OpenHold, { purse, bounds, atMs }: Room): void {
    if (purse === null) throw new Error("a hold grows only where a pocket pays");
    const names = [...bounds, purse.bound].flatMap(({ window }) => window ?? []);
    const leaves = (counted: CountedWindow) =>
      counted.ownerId === hold.pocket || names.some(name => isSame(counted, name));
    for (const counted of hold.windows.filter(leaves)) {
      const window = this.#running(counted);
      if (window !== null) window.held -= hold.hold;
    }
    const kept = hold.windows.filter(counted => !leaves(counted));
    this.#holdOnRows(hold, -hold.hold);
    hold.pocket = purse.pocket;
    this.#holdOnRows(hold, hold.hold);
    hold.windows = [...kept, ...names.map(name => this.#count(name, hold.hold, atMs))];
  }
}

/** A limit that was set after the hold was made counts from the next request on. */
function concerns({ window }: Bound, hold: OpenHold): boolean {
  return window === null || hold.windows.some(counted => isSame(counted, window));
}

function isSame(one: WindowName, other: WindowName): boolean {
  return one.ownerId === other.ownerId && one.period === other.period;
}

function ownFirst(purses: readonly Purse[], { pocket }: OpenHold): Purse[] {
  return [
    ...purses.filter(purse => purse.pocket === pocket),
    ...purses.filter(purse => purse.pocket !== pocket),
  ];
}

function usedOf({ spent, held }: SpendWindow): Nanos {
  return spent + held;
}

function least(a: Nanos, b: Nanos): Nanos {
  return a < b ? a : b;
}
