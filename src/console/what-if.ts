import type { Clock } from "../domain/clock.ts";
import { firstIdAt } from "../domain/id-time.ts";
import type { Price } from "../domain/model.ts";
import type { BasisPoints, Nanos } from "../domain/money.ts";
import { cost } from "../pricing/price.ts";
import type { Store } from "../store/store.ts";
import type { ChargedRow } from "../store/what-if-rows.ts";

/** What is supposed: another multiplier of a group, another price of a model, or both. */
export type Supposed = {
  group: { id: string; multiplier: BasisPoints } | null;
  model: { name: string; price: Price } | null;
};

type Sums = { before: Nanos; after: Nanos };

export type Repriced = Sums & {
  fromMs: number;
  toMs: number;
  requests: number;
  /** How many parts of the time were looked at, of how many. */
  parts: number;
  partsAll: number;
  accounts: ReadonlyMap<string, Sums>;
  models: ReadonlyMap<string, Sums>;
};

const DAYS = 7;
const DAY_MS = 86_400_000;
/** Ten minutes each. The order jumps, so that whatever is looked at until the time is up is spread evenly. */
const PARTS = DAYS * 24 * 6;
const STRIDE = 389;
/** For what is asked of the database, and what is computed beside running requests. */
const MS_MAX = 1_200;
const ROWS_MAX = 60_000;
const PAGE_ROWS = 4_000;

type Asked = { groupId: string; model: string; limit: number };
type Span = { afterId: string; beforeId: string };

/** Last week's charges under what is supposed, row by row as they were charged: all of them, or an even sample. */
export async function repriced(
  { store, nowMs }: Clock & { store: Pick<Store, "report"> },
  supposed: Supposed,
): Promise<Repriced> {
  const toMs = nowMs();
  const fromMs = toMs - DAYS * DAY_MS;
  const books = new Books(store, supposed);
  const asked = { groupId: supposed.group?.id ?? "", model: supposed.model?.name ?? "", limit: PAGE_ROWS };
  const week = spanOf(fromMs, toMs);
  const isMuch = await store.report("what_if.has_more", { ...week, than: ROWS_MAX });
  const parts = isMuch
    ? await addSome(books, { store, asked, fromMs, isOver: () => nowMs() - toMs > MS_MAX })
    : await addAll(books, { store, asked, week });
  return { fromMs, toMs, parts, partsAll: PARTS, ...books.told() };
}

function spanOf(fromMs: number, toMs: number): Span {
  return { afterId: firstIdAt("req", fromMs), beforeId: firstIdAt("req", toMs) };
}

type All = { store: Pick<Store, "report">; asked: Asked; week: Span };

async function addAll(books: Books, { store, asked, week }: All): Promise<number> {
  for (let { afterId } = week; ; ) {
    const rows = await store.report("what_if.rows", { ...week, afterId, ...asked });
    await books.add(rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return PARTS;
    afterId = last.id;
  }
}

type Some = { store: Pick<Store, "report">; asked: Asked; fromMs: number; isOver: () => boolean };

async function addSome(books: Books, { store, asked, fromMs, isOver }: Some): Promise<number> {
  const partMs = (DAYS * DAY_MS) / PARTS;
  for (let part = 0; part < PARTS; part++) {
    if (isOver() || books.requests > ROWS_MAX) return part;
    const startMs = fromMs + ((part * STRIDE) % PARTS) * partMs;
    const span = spanOf(startMs, startMs + partMs);
    await books.add(await store.report("what_if.rows", { ...span, ...asked }));
  }
  return PARTS;
}

class Books {
  requests = 0;
  readonly #store: Pick<Store, "report">;
  readonly #supposed: Supposed;
  readonly #prices = new Map<string, Price>();
  readonly #accounts = new Map<string, Sums>();
  readonly #models = new Map<string, Sums>();
  readonly #all: Sums = { before: 0n, after: 0n };

  constructor(store: Pick<Store, "report">, supposed: Supposed) {
    this.#store = store;
    this.#supposed = supposed;
  }

  async add(rows: readonly ChargedRow[]): Promise<void> {
    const ids = [...new Set(rows.map(({ priceId }) => priceId))].filter(id => !this.#prices.has(id));
    if (ids.length > 0) {
      for (const [id, price] of await this.#store.report("what_if.prices", { ids }))
        this.#prices.set(id, price);
    }
    for (const row of rows) {
      const after = this.#costOf(row);
      this.requests += 1;
      for (const sums of [
        this.#all,
        sumsOf(this.#accounts, row.accountId),
        sumsOf(this.#models, row.model),
      ]) {
        sums.before += row.cost;
        sums.after += after;
      }
    }
  }

  told() {
    const { before, after } = this.#all;
    return { before, after, requests: this.requests, accounts: this.#accounts, models: this.#models };
  }

  /** What its hold did not cover was not charged, and in the same measure would not be. */
  #costOf(row: ChargedRow): Nanos {
    const { group, model } = this.#supposed;
    const old = this.#prices.get(row.priceId);
    if (old === undefined) return row.cost;
    const multiplier = group !== null && group.id === row.groupId ? group.multiplier : row.multiplier;
    const price = model !== null && model.name === row.model ? model.price : old;
    const was = cost(row.usage, old, row.multiplier);
    const would = cost(row.usage, price, multiplier);
    return was === row.cost || was === 0n ? would : (would * row.cost + was - 1n) / was;
  }
}

function sumsOf(all: Map<string, Sums>, name: string): Sums {
  const known = all.get(name);
  if (known !== undefined) return known;
  const fresh = { before: 0n, after: 0n };
  all.set(name, fresh);
  return fresh;
}
