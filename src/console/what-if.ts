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

const DAY_MS = 86_400_000;
/** Ten minutes each. The order jumps, so that whatever is looked at until the time is up is spread evenly. */
const PARTS_A_DAY = 24 * 6;
const PART_MS = DAY_MS / PARTS_A_DAY;
/** Has no factor in common with the parts of any number of days below it, so that each part comes once. */
const STRIDE = 389;
/** For what is asked of the database, and what is computed beside running requests. */
const MS_MAX = 1_200;
const ROWS_MAX = 60_000;
const PAGE_ROWS = 4_000;

type Asked = { groupId: string; model: string; limit: number };
type Span = { afterId: string; beforeId: string };

/** The charges of some days under what is supposed, row by row as they were charged: all, or an even sample. */
export async function repriced(
  { store, nowMs, days }: Clock & { store: Pick<Store, "report">; days: number },
  supposed: Supposed,
): Promise<Repriced> {
  const toMs = nowMs();
  const fromMs = toMs - days * DAY_MS;
  const partsAll = days * PARTS_A_DAY;
  const books = new Books(store, supposed);
  const asked = { groupId: supposed.group?.id ?? "", model: supposed.model?.name ?? "", limit: PAGE_ROWS };
  const whole = spanOf(fromMs, toMs);
  const isMuch = await store.report("what_if.has_more", { ...whole, than: ROWS_MAX });
  const isOver = () => nowMs() - toMs > MS_MAX;
  const parts = isMuch
    ? await addSome(books, { store, asked, fromMs, partsAll, isOver })
    : await addAll(books, { store, asked, whole, partsAll });
  return { fromMs, toMs, parts, partsAll, ...books.told() };
}

function spanOf(fromMs: number, toMs: number): Span {
  return { afterId: firstIdAt("req", fromMs), beforeId: firstIdAt("req", toMs) };
}

type All = { store: Pick<Store, "report">; asked: Asked; whole: Span; partsAll: number };

async function addAll(books: Books, { store, asked, whole, partsAll }: All): Promise<number> {
  for (let { afterId } = whole; ; ) {
    const rows = await store.report("what_if.rows", { ...whole, afterId, ...asked });
    await books.add(rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return partsAll;
    afterId = last.id;
  }
}

type Some = {
  store: Pick<Store, "report">;
  asked: Asked;
  fromMs: number;
  partsAll: number;
  isOver: () => boolean;
};

async function addSome(books: Books, { store, asked, fromMs, partsAll, isOver }: Some): Promise<number> {
  for (let part = 0; part < partsAll; part++) {
    if (isOver() || books.requests > ROWS_MAX) return part;
    const startMs = fromMs + ((part * STRIDE) % partsAll) * PART_MS;
    const span = spanOf(startMs, startMs + PART_MS);
    await books.add(await store.report("what_if.rows", { ...span, ...asked }));
  }
  return partsAll;
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
