import type { Nanos } from "../domain/money.ts";
import { parseWindows, windowKey } from "../domain/spend-window.ts";
import type { Books as Database } from "./bank.case.ts";
import {
  at,
  type Books,
  balanceOf,
  heldOf,
  heldOfKey,
  limitsOf,
  openOf,
  openOfKey,
  spentOf,
  windowSums,
} from "./history-model.case.ts";
import { big, text, textOrNull } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";
import { verifyLedger } from "./verify.ts";

/** The books as lines of text, as the database has them and as the model would: so that a difference can be read. */

async function readPages(tx: Tx): Promise<string[]> {
  const [accounts = [], keys = [], windows = [], usage = [], ledger = []] = await Promise.all(
    ["accounts", "keys", "windows", "usage", "ledger"].map(table => tx.all(`select * from ${table}`)),
  );
  const starts = new Map(windows.map(row => [windowName(row), text(row["start_ms"])]));
  return [
    ...accounts.map(row => owner(text(row["id"]), { ...row, rest: `balance ${big(row["balance"])}` })),
    ...keys.map(row => owner(text(row["id"]), { ...row, rest: `spent ${big(row["spent"])}` })),
    ...windows.map(row => `${windowName(row)}: spent ${big(row["spent"])}, held ${big(row["held"])}`),
    ...usage.map(row =>
      request(row, {
        tokens: big(row["input"]) + big(row["cache_read"]) + big(row["output"]),
        counts: parseWindows(textOrNull(row["windows"])).map(({ startMs, ...name }) => ({
          window: windowKey(name),
          isOver: starts.get(windowKey(name)) !== String(startMs),
        })),
      }),
    ),
    ...ledger.map(line),
  ].sort();
}

function windowName(row: SqlRow): string {
  return `${text(row["owner_id"])}/${text(row["period"])}`;
}

function owner(id: string, row: SqlRow & { rest: string }): string {
  const due = `due ${big(row["arrival_ns"])} and ${big(row["token_arrival_ns"])}`;
  return `${id}: ${row.rest}, held ${big(row["held"])}, open ${big(row["open"])}, ${due}`;
}

type Counts = { tokens: bigint; counts: readonly { window: string; isOver: boolean }[] };

function request(row: SqlRow, { tokens, counts }: Counts): string {
  const where = `${text(row["id"])} of ${text(row["key_id"])} at ${text(row["boot_id"])}`;
  const money = `hold ${big(row["hold"])}, cost ${big(row["cost"])} from ${textOrNull(row["pocket"])}`;
  const how = `× ${big(row["multiplier"])}, ${tokens} tokens, ${textOrNull(row["source"])}`;
  const places = counts.map(({ window, isOver }) => `${window}${isOver ? " (over)" : ""}`).sort();
  return `${where}: ${text(row["state"])}, ${money}, ${how}, in ${places.join(" and ")}`;
}

function line(row: SqlRow): string {
  const what = `${text(row["kind"])} ${big(row["amount"])}, ${text(row["pocket"])}`;
  return `line of ${text(row["account_id"])}: ${what}, ${textOrNull(row["usage_id"])}`;
}

export function expectedPages(books: Books): string[] {
  const accounts = books.accounts.map(({ id, meter }, place) =>
    owner(id, {
      ...{ held: heldOf(books, place), open: BigInt(openOf(books, place).length) },
      ...{ arrival_ns: meter.requestDueNs, token_arrival_ns: meter.tokenDueNs },
      rest: `balance ${balanceOf(books, place)}`,
    }),
  );
  const keys = books.keys.map(({ id, meter }, place) =>
    owner(id, {
      ...{ held: heldOfKey(books, place), open: BigInt(openOfKey(books, place).length) },
      ...{ arrival_ns: meter.requestDueNs, token_arrival_ns: meter.tokenDueNs },
      rest: `spent ${spentOf(books, place)}`,
    }),
  );
  const windows = Object.keys(books.windows).map(name => {
    const { spent, held } = windowSums(books, name);
    return `${name}: spent ${spent}, held ${held}`;
  });
  const requests = books.requests.map(one =>
    request(
      {
        ...{ id: one.id, key_id: at(books.keys, one.key).id, boot_id: one.boot, state: one.state },
        ...{ hold: one.hold, cost: one.cost, pocket: one.pocket, source: one.source },
        multiplier: one.multiplier,
      },
      {
        tokens: BigInt(one.tokensDelivered),
        counts: one.counts.map(({ window, run }) => ({
          ...{ window, isOver: books.windows[window]?.run !== run },
        })),
      },
    ),
  );
  const lines = books.lines.map(({ account, kind, amount, pocket, requestId }) =>
    line({ account_id: at(books.accounts, account).id, kind, amount, pocket, usage_id: requestId }),
  );
  return [...accounts, ...keys, ...windows, ...requests, ...lines].sort();
}

/** Looks at the books from outside. */
export class Inspector {
  readonly #database: Pick<Database, "job">;
  #before: Usage = new Map();
  #settings: Settings;

  constructor(database: Pick<Database, "job">, books: Books) {
    this.#database = database;
    this.#settings = settingsOf(books);
  }

  read(): Promise<string[]> {
    return this.#database.job(readPages);
  }

  async look(books: Books): Promise<void> {
    const { pages, findings } = await this.#database.job(async tx => ({
      pages: await readPages(tx),
      findings: await verifyLedger(tx, {}),
    }));
    same(pages, expectedPages(books), "the books");
    const overspent = findings.map(({ invariant, row }) => `${invariant}: ${row}`).sort();
    same(overspent, expectedFindings(books), "the findings");
  }

  /** No step takes a pocket or a limit beyond what it allows, or further beyond it where it was lowered. */
  checkLimits(books: Books): void {
    for (const [place, { email }] of books.accounts.entries()) {
      const [balance, held] = [balanceOf(books, place), heldOf(books, place)];
      if (held < 0n || balance < held) throw new Error(`${email} holds ${held} of ${balance}`);
    }
    const now = usage(books);
    for (const [name, { used, window, carried }] of now) {
      // Of two steps at once, either may have been the first.
      const limits = [books, this.#settings].map(settings => limitOf(settings, window));
      if (limits.includes(null)) continue;
      const allowed = [carried, this.#before.get(name)?.used ?? 0n, ...limits.map(limit => limit ?? 0n)];
      if (allowed.every(most => used > most)) throw new Error(`${name} has used ${used} of ${limits[0]}`);
    }
    this.#before = now;
    this.#settings = settingsOf(books);
  }

  async atRest(): Promise<void> {
    const held = await this.#database.job(tx =>
      tx.all(
        `select id as name from accounts where held <> 0 or open <> 0
          union all select id from keys where held <> 0 or open <> 0
          union all select owner_id from windows where held <> 0
          union all select id from usage where state = 'open'`,
      ),
    );
    same(
      held.map(row => text(row["name"])),
      [],
      "those that still hold something",
    );
  }
}

type Usage = Map<string, { used: Nanos; window: string; carried: Nanos }>;

/** What is used of each quota and in each run of a window. */
function usage(books: Books): Usage {
  const found: Usage = new Map();
  for (const [place, { id }] of books.keys.entries()) {
    const used = spentOf(books, place) + heldOfKey(books, place);
    found.set(id, { used, window: id, carried: 0n });
  }
  for (const [window, { run, carried }] of Object.entries(books.windows)) {
    const { spent, held } = windowSums(books, window);
    found.set(`${window}, run ${run}`, { used: spent + held, window, carried });
  }
  return found;
}

type Settings = Pick<Books, "accounts" | "groups" | "plans" | "subscriptions" | "keys">;

function settingsOf({ accounts, groups, plans, subscriptions, keys }: Books): Settings {
  const copy = <T extends object>(list: readonly T[]) => list.map(one => ({ ...one }));
  const owners = { accounts: copy(accounts), keys: copy(keys), groups: copy(groups) };
  return { ...owners, plans: copy(plans), subscriptions: copy(subscriptions) };
}

/** By the name of a window, or of a key for its quota. */
function limitOf(settings: Settings, window: string): Nanos | null {
  const [ownerId, period] = window.split("/");
  const subscription = settings.subscriptions.find(({ id }) => id === ownerId);
  if (subscription !== undefined) return at(settings.plans, subscription.plan).quota;
  const key = settings.keys.find(({ id }) => id === ownerId);
  if (key !== undefined && period === undefined) return key.quota;
  const account = settings.accounts.find(({ id }) => id === ownerId);
  const limits = key === undefined ? account?.limits : limitsOf(settings, key);
  if (limits === undefined) return null;
  const { spendPerDay, spendPerWeek, spendPerMonth } = limits;
  return period === "day" ? spendPerDay : period === "week" ? spendPerWeek : spendPerMonth;
}

/** A quota that was lowered below what is held at the moment is told of, and nothing else ever is. */
function expectedFindings(books: Books): string[] {
  const keys = books.keys.filter(({ quota }, place) => {
    const held = heldOfKey(books, place);
    return quota !== null && held > 0n && spentOf(books, place) + held > quota;
  });
  const subscriptions = books.subscriptions.filter(({ id, plan }) => {
    const { quota, period } = at(books.plans, plan);
    const { spent, held } = windowSums(books, `${id}/${period}`);
    return held > 0n && spent + held > quota;
  });
  return [...keys, ...subscriptions].map(({ id }) => `no pocket is overspent: ${id}`).sort();
}

/** Line by line, so that a disagreement is read at once. */
export function same(found: readonly string[], expected: readonly string[], what: string): void {
  if (found.length === expected.length && found.every((line, place) => line === expected[place])) return;
  const only = (some: readonly string[], others: readonly string[]) => {
    const rest = [...others];
    return some.filter(line => {
      const place = rest.indexOf(line);
      if (place >= 0) rest.splice(place, 1);
      return place < 0;
    });
  };
  const lines = (some: readonly string[]) => some.map(line => `\n    ${line}`).join("") || " nothing else";
  throw new Error(
    `${what} differ\n  the model says:${lines(only(expected, found))}\n  the database says:${lines(only(found, expected))}`,
  );
}
