import type { Id } from "../domain/ids.ts";
import { type Books as Database, newId, type Teller, time } from "./bank.case.ts";
import type { Answer, Command } from "./command.ts";
import { recoverBoot, runBatch } from "./history-decisions.case.ts";
import { build } from "./history-house.case.ts";
import { type Deed, deedOf, outcome } from "./history-jobs.case.ts";
import { at, type Books } from "./history-model.case.ts";
import { expectedPages, Inspector, same } from "./history-pages.case.ts";
import { commandOf, ended, said } from "./history-words.case.ts";
import type { Alone, History, Step } from "./history-world.case.ts";

export type HistoryOptions = {
  database: Database;
  /** Two of the steps at the same time; otherwise one after the other. */
  atOnce: boolean;
  /** Reading the whole of the books costs more than most steps, so it is done after every so many. */
  stepsPerLook: number;
};

type Process = { boot: Id<"boot">; teller: Teller };

/** A step with everything it names looked up, so that the database and the model do the same. */
type Concrete = { perform: () => Promise<string[]>; model: (books: Books) => string[] };

/** Plays a history on a database and in the model; throws where the two do not agree. */
export async function play({ world, steps }: History, options: HistoryOptions): Promise<void> {
  time.nowMs = world.startMs;
  const player = new Player(options, await build(options.database, world));
  for (const [place, step] of steps.entries()) {
    try {
      await player.take(step);
      player.checkLimits();
      if ((place + 1) % options.stepsPerLook === 0) await player.look();
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      throw new Error(`after step ${place} (${text(step)}): ${what}`, { cause: error });
    }
  }
  await player.finish();
}

class Player {
  readonly #options: HistoryOptions;
  readonly #inspector: Inspector;
  #books: Books;
  #processes: readonly Process[];
  #gone: Process[] = [];

  constructor(options: HistoryOptions, books: Books) {
    this.#options = options;
    this.#books = books;
    this.#inspector = new Inspector(options.database, books);
    this.#processes = [this.#start(), this.#start()];
  }

  async take(step: Step): Promise<void> {
    if (step.do === "wait") {
      time.nowMs += step.ms;
      this.#books.nowMs = time.nowMs;
    } else if (step.do === "crash") {
      this.#gone.push(at(this.#processes, step.teller));
      this.#processes = this.#processes.map((one, place) => (place === step.teller ? this.#start() : one));
    } else if (step.do === "together") await this.#together(step.one, step.other);
    else {
      const { perform, model } = this.#concrete(step);
      same(await perform(), model(this.#books), "the answers");
    }
  }

  checkLimits(): void {
    this.#inspector.checkLimits(this.#books);
  }

  look(): Promise<void> {
    return this.#inspector.look(this.#books);
  }

  /** Everybody is gone, and all they held for is resolved: then nothing is held anywhere, and no slot is taken. */
  async finish(): Promise<void> {
    this.#gone.push(...this.#processes);
    const { perform, model } = this.#concrete({ do: "recover" });
    same(await perform(), model(this.#books), "what was recovered");
    await this.look();
    await this.#inspector.atRest();
  }

  /** Of two that ran at once, one came first: the books must be as if they had come in one of the two orders. */
  async #together(one: Alone, other: Alone): Promise<void> {
    // Each process is recovered in a transaction of its own, so that a batch could come between two of them.
    const second = other.do === "recover" ? this.#recover(this.#gone.slice(-1)) : this.#concrete(other);
    const first = this.#concrete(one);
    if (!this.#options.atOnce) {
      same(await first.perform(), first.model(this.#books), "the answers");
      same(await second.perform(), second.model(this.#books), "the answers of the second");
      return;
    }
    const found = await Promise.all([first.perform(), second.perform()]);
    const pages = await this.#inspector.read();
    const problems: string[] = [];
    for (const order of ["one", "other"] as const) {
      const books = structuredClone(this.#books);
      const early = (order === "one" ? first : second).model(books);
      const late = (order === "one" ? second : first).model(books);
      const expected = order === "one" ? [early, late] : [late, early];
      try {
        same(asked(found), asked(expected), `the answers, where “${order}” came first`);
        same(pages, expectedPages(books), `the books, where “${order}” came first`);
        this.#books = books;
        return;
      } catch (error) {
        problems.push(String(error));
      }
    }
    throw new Error(`as if in neither order: ${problems.join("\n")}`);
  }

  #start(): Process {
    const boot = newId("boot");
    return { boot, teller: this.#options.database.teller(boot) };
  }

  #concrete(step: Alone): Concrete {
    if (step.do === "job") return this.#job(deedOf(this.#books, step.job));
    if (step.do === "recover") return this.#recover(this.#gone);
    if (step.do === "haunt") return this.#haunt(step);
    const { boot, teller } = at(this.#processes, step.teller);
    const open = this.#books.requests.filter(one => one.state === "open" && one.boot === boot);
    const commands = step.acts.flatMap(act => commandOf(this.#books, act, open) ?? []);
    return {
      perform: () => (commands.length === 0 ? Promise.resolve([]) : run(teller, commands)),
      model: books => runBatch(books, { boot, commands }),
    };
  }

  #job({ work, model }: Deed): Concrete {
    return {
      perform: async () => [await outcome(this.#options.database.job(work))],
      model: books => [model(books) ? "done" : "refused"],
    };
  }

  /** By a process of its own, as the store does it beside its batches; gives how many holds there were. */
  #recover(gone: readonly Process[]): Concrete {
    const boots = gone.map(({ boot }) => boot);
    const { teller } = this.#start();
    return {
      perform: async () => {
        let count = 0;
        for (const boot of boots) count += await teller.recover(boot);
        return [`${count} recovered`];
      },
      model: books => {
        const counts = boots.map(boot => recoverBoot(books, boot));
        return [`${counts.reduce((sum, count) => sum + count, 0)} recovered`];
      },
    };
  }

  /** What has been resolved meanwhile stays as it is: the first try may fail on it, and the second sees it. */
  #haunt({ request: place, end, replayed }: Extract<Alone, { do: "haunt" }>): Concrete {
    const boots = new Map(this.#gone.map(({ boot, teller }) => [boot, teller]));
    const left = this.#books.requests.filter(({ boot, state }) => boots.has(boot) && state !== "refused");
    if (left.length === 0) return { perform: async () => [], model: () => [] };
    const { id, boot } = at(left, place);
    const commands = [ended(id, end)];
    return {
      perform: async () => {
        const late = replayed ? this.#start().teller : boots.get(boot);
        await late?.run(commands, () => {}).catch(() => late.run(commands, () => {}));
        return [];
      },
      model: books => runBatch(books, { boot, commands }),
    };
  }
}

/** What ends while it is being recovered may be counted by both. */
function asked(answers: readonly (readonly string[])[]): string[] {
  return answers.flat().filter(answer => !answer.endsWith(" recovered"));
}

async function run(teller: Teller, commands: readonly Command[]): Promise<string[]> {
  let answers: readonly Answer[] = [];
  await teller.run(commands, made => {
    answers = made;
  });
  return answers.map(said);
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? `${one}n` : one));
}
