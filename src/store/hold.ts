import { poorestBound } from "../domain/decide.ts";
import type { Refusal } from "../domain/errors.ts";
import type { Nanos } from "../domain/money.ts";
import { type Bound, type PocketRows, type Purse, spendable } from "../domain/pocket.ts";
import {
  type CountedWindow,
  newWindow,
  rolled,
  type SpendWindow,
  type WindowName,
  windowKey,
} from "../domain/spend-window.ts";
import type { LedgerWrites, OpenHold } from "./ledger.ts";

/** How far a hold can grow: the amount, who would pay, and who does not give all that was wanted. */
export type Room = { most: Nanos; purse: Purse | null; refusal: Refusal | null };

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

  roomFor(hold: OpenHold, wanted: Nanos): Room {
    if (hold.windows.length > 0) this.#recount(hold, spendable(this.owners, this.nowMs).atMs);
    const { purses, bounds } = spendable(this.owners, this.nowMs);
    const poorest = poorestBound(bounds.filter(bound => concerns(bound, hold)));
    const bounded = poorest === null ? wanted : least(wanted, hold.hold + poorest.left);
    let best: { most: Nanos; purse: Purse | null } = { most: hold.hold, purse: null };
    for (const purse of ownFirst(purses, hold)) {
      const own = purse.pocket === hold.pocket ? hold.hold : 0n;
      const most = least(bounded, own + purse.bound.left);
      if (most > best.most) best = { most, purse };
    }
    if (best.most >= wanted) return { ...best, refusal: null };
    const last = purses.at(-1)?.bound;
    const short = poorest !== null && best.most >= bounded ? poorest : (last ?? poorest);
    return { ...best, refusal: short === null ? null : short.refuse(wanted) };
  }

  /** Where another pocket than the first pays for the longer answer, it pays for all of it. */
  grow(hold: OpenHold, { amount, purse }: { amount: Nanos; purse: Purse | null }): void {
    if (purse !== null && purse.pocket !== hold.pocket) this.#move(hold, purse);
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

  /** A hold that outlasts a period and wants more counts in the next one, whole. */
  #recount(hold: OpenHold, atMs: number): void {
    hold.windows = hold.windows.map(counted => {
      const { startMs } = this.#windowAt(counted, atMs);
      return startMs === counted.startMs ? counted : this.#count(counted, hold.hold, atMs);
    });
    this.writes.extended.add(hold);
  }

  #move(hold: OpenHold, purse: Purse): void {
    const from = hold.windows.find(({ ownerId }) => ownerId === hold.pocket);
    const left = from === undefined ? null : this.#running(from);
    if (left !== null) left.held -= hold.hold;
    this.#holdOnRows(hold, -hold.hold);
    hold.pocket = purse.pocket;
    this.#holdOnRows(hold, hold.hold);
    const kept = hold.windows.filter(counted => counted !== from);
    const { window } = purse.bound;
    hold.windows = window === null ? kept : [...kept, this.#count(window, hold.hold, this.nowMs)];
  }
}

/** A limit that was set after the hold was made counts from the next request on. */
function concerns({ window }: Bound, hold: OpenHold): boolean {
  if (window === null) return true;
  return hold.windows.some(({ ownerId, period }) => ownerId === window.ownerId && period === window.period);
}

function ownFirst(purses: readonly Purse[], { pocket }: OpenHold): Purse[] {
  return [
    ...purses.filter(purse => purse.pocket === pocket),
    ...purses.filter(purse => purse.pocket !== pocket),
  ];
}

function least(a: Nanos, b: Nanos): Nanos {
  return a < b ? a : b;
}
