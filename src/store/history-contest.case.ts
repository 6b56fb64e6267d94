import fc from "fast-check";
import type { Id } from "../domain/ids.ts";
import { NO_LIMITS } from "../domain/limits.ts";
import { type Books as Database, time } from "./bank.case.ts";
import type { Command } from "./command.ts";
import { runBatch } from "./history-decisions.case.ts";
import { build } from "./history-house.case.ts";
import type { Books } from "./history-model.case.ts";
import { expectedPages, Inspector, same } from "./history-pages.case.ts";
import { commandOf, said } from "./history-words.case.ts";
import { type Act, acts, type World } from "./history-world.case.ts";
import { openPool, type Pool } from "./postgres/connect.ts";
import { inTransaction } from "./postgres/database.ts";
import type { Store } from "./store.ts";

/** One gateway process, by its store. */
export type Entrant = { store: Store; boot: Id<"boot"> };

type Paced = { act: Act; pauseMs: number };
/** What each of two entrants sends in a round; the rounds follow each other, so that holds can grow and end. */
export type Schedule = { world: World; rounds: readonly (readonly [readonly Paced[], readonly Paced[]])[] };

const nanos = (max: bigint) => fc.bigInt({ min: 0n, max });
const START_MS = Date.UTC(2027, 0, 15, 12);

/** Nobody is limited but by money, and there is little of it. */
const world: fc.Arbitrary<World> = fc
  .record({
    balance: nanos(400n),
    quotas: fc.array(fc.option(nanos(300n)), { minLength: 4, maxLength: 4 }),
    subscribed: nanos(300n),
    multiplier: fc.constantFrom(10_000, 13_333),
  })
  .map(({ balance, quotas, subscribed, multiplier }) => {
    const group = { multiplier, enabled: true, limits: NO_LIMITS };
    return {
      startMs: START_MS,
      accounts: [{ balance, limits: NO_LIMITS }],
      groups: [
        { ...group, billing: "balance" },
        { ...group, billing: "subscription-first" },
        { ...group, billing: "subscription" },
      ],
      plans: [{ groups: [1, 2], quota: subscribed, period: "day" }],
      subscriptions: [{ account: 0, plan: 0, untilMs: null }],
      keys: quotas.map((quota, place) => ({
        ...{ account: 0, group: place % 3, quota, expiresMs: null, limits: NO_LIMITS },
      })),
      codes: [],
    } satisfies World;
  });

const paced = fc.record({ act: acts, pauseMs: fc.constantFrom(0, 0, 0, 1) });
const side = fc.array(paced, { minLength: 1, maxLength: 14, size: "max" });

export const schedules: fc.Arbitrary<Schedule> = fc.record({
  world,
  rounds: fc.array(fc.tuple(side, side), { minLength: 1, maxLength: 3, size: "max" }),
});

type Sent = { boot: Id<"boot">; commands: readonly Command[]; answers: readonly (string | null)[] };

/** Lets two entrants race, round after round, and looks for an order in which all of it is right. */
export class Contest {
  readonly #entrants: readonly Entrant[];
  readonly #pool: Pool;
  readonly #database: Pick<Database, "job">;

  constructor(entrants: readonly Entrant[], url: string) {
    this.#entrants = entrants;
    this.#pool = openPool({ url, connectionsMax: 1 });
    this.#database = { job: work => inTransaction(this.#pool, { mode: "write", work }) };
  }

  async run({ world: made, rounds }: Schedule): Promise<void> {
    time.nowMs = made.startMs;
    let books = await build(this.#database, made);
    const inspector = new Inspector(this.#database, books);
    for (const round of rounds) {
      const before = books;
      const sent = await Promise.all(
        this.#entrants.map((entrant, place) => send(before, entrant, round[place] ?? [])),
      );
      await Promise.all(this.#entrants.map(({ store }) => store.flushed()));
      books = inSomeOrder(before, sent, await inspector.read());
      inspector.checkLimits(books);
    }
    await inspector.look(books);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

async function send(books: Books, { store, boot }: Entrant, round: readonly Paced[]): Promise<Sent> {
  const open = books.requests.filter(one => one.state === "open" && one.boot === boot);
  const commands: Command[] = [];
  const answers: Promise<string | null>[] = [];
  for (const { act, pauseMs } of round) {
    const command = commandOf(books, act, open);
    if (command === null || command.do === "checkpoint") continue;
    if (pauseMs > 0) await Bun.sleep(pauseMs);
    commands.push(command);
    answers.push(hand(store, command));
  }
  return { boot, commands, answers: await Promise.all(answers) };
}

async function hand(store: Store, command: Command): Promise<string | null> {
  if (command.do === "extend") return said(await store.extend(command.extension));
  if (command.do === "admit") return said(await store.admit(command.request).decided);
  if (command.do === "settle") store.settle(command.settlement);
  return null;
}

/** The books after an order of all commands in which every answer is the right one, and which leads to these pages. */
function inSomeOrder(books: Books, sent: readonly Sent[], pages: readonly string[]): Books {
  const seen = new Set<string>();
  let nearest = { steps: -1, problem: "" };
  const fail = (places: readonly number[], problem: string) => {
    const steps = places.reduce((sum, place) => sum + place, 0);
    if (steps > nearest.steps) nearest = { steps, problem: `after ${places.join(" and ")}: ${problem}` };
    return null;
  };
  const search = (now: Books, places: readonly number[]): Books | null => {
    const expected = expectedPages(now);
    const name = [...places, ...expected].join("\n");
    if (seen.has(name)) return null;
    seen.add(name);
    if (sent.every(({ commands }, place) => places[place] === commands.length))
      return isSame(pages, expected) ? now : fail(places, difference(pages, expected));
    for (const [place, { boot, commands, answers }] of sent.entries()) {
      const next = places[place] ?? 0;
      const command = commands[next];
      if (command === undefined) continue;
      const after = structuredClone(now);
      const answer = runBatch(after, { boot, commands: [command] })[0] ?? null;
      const found =
        answer === answers[next]
          ? search(after, places.with(place, next + 1))
          : fail(places, `the model says ${answer}, entrant ${place} was told ${answers[next]}`);
      if (found !== null) return found;
    }
    return null;
  };
  const found = search(
    books,
    sent.map(() => 0),
  );
  if (found === null) throw new Error(`as if in no order; the nearest one ends ${nearest.problem}`);
  return found;
}

function isSame(pages: readonly string[], expected: readonly string[]): boolean {
  return pages.length === expected.length && pages.every((line, place) => line === expected[place]);
}

function difference(pages: readonly string[], expected: readonly string[]): string {
  try {
    same(pages, expected, "the books");
    return "";
  } catch (error) {
    return String(error);
  }
}
