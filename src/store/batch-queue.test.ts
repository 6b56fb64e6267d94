import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Id } from "../domain/ids.ts";
import { NO_USAGE } from "../domain/usage.ts";
import { BatchQueue } from "./batch-queue.ts";
import type { Answer, Command } from "./command.ts";
import { openJournal, readJournals } from "./journal.ts";
import type { Admission, AdmissionRequest, Settlement } from "./store.ts";

/** The queue alone, in front of a database that does what the test says. */

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "wicketgate-queue-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settlement = (id: Id<"req">): Settlement => ({
  ...{ id, state: "settled", status: 200, reason: null, upstream: "u", usage: NO_USAGE, cost: 5n },
  ...{ bound: 5n, source: "reported", firstByteMs: 1, durationMs: 2 },
});
const settle = (id: Id<"req">): Command => ({ do: "settle", settlement: settlement(id) });
const checkpoint = (id: Id<"req">, cost: bigint): Command => ({
  do: "checkpoint",
  checkpoint: { id, usage: NO_USAGE, cost },
});
const request = (id: Id<"req">) => ({ id }) as AdmissionRequest;

function rig() {
  const events: string[] = [];
  const log = (_: string, event: string) => void events.push(event);
  const batches: string[][] = [];
  const queue = new BatchQueue({ log, journal: openJournal({ folder, bootId: "boot_1", log }) });
  queue.open(commands => {
    batches.push(commands.map(nameOf));
  });
  const committed = (answers: readonly Answer[] = []) => {
    queue.written(answers);
    queue.synced(1);
  };
  const kept = () => readJournals(folder, () => true).flatMap(({ commands }) => commands.map(nameOf));
  return { queue, batches, events, committed, kept };
}

function nameOf(command: Command): string {
  if (command.do === "settle") return `settle ${command.settlement.id}`;
  if (command.do === "checkpoint") return `checkpoint ${command.checkpoint.id} ${command.checkpoint.cost}`;
  return command.do;
}

const soon = () => Bun.sleep(20);
const outcome = async (decided: Promise<Admission>) => {
  const admission = await decided;
  return "failure" in admission ? admission.failure : "done";
};

describe("while the database is away", () => {
  test("whoever waits, behind the batch too, is refused at once, and nobody else is let in", async () => {
    const { queue, batches, events, committed } = rig();
    const first = outcome(queue.admit(request("req_1")).decided);
    await soon();
    const second = outcome(queue.admit(request("req_2")).decided);
    queue.failed("gone");
    expect(await Promise.all([first, second])).toEqual(["gone", "gone"]);
    expect(await outcome(queue.admit(request("req_3")).decided)).toBe("gone");
    await soon();
    // What may have been admitted all the same is voided; that batch also finds out whether the database is back.
    expect(batches).toEqual([["admit"], ["settle req_1"]]);
    queue.failed("still gone");
    expect(events).toEqual(["store.away"]);
    await Bun.sleep(520);
    committed();
    expect(events).toEqual(["store.away", "store.back"]);
    const admitted = outcome(queue.admit(request("req_4")).decided);
    await soon();
    committed([{ admitted: false, refusal: { reason: "key_unknown", params: {} }, recorded: false }]);
    expect(await admitted).toBe("done");
  });

  test("settlements wait in the journal, once, until they are written; of checkpoints only the journal knows", async () => {
    const { queue, batches, committed, kept } = rig();
    queue.push(settle("req_1"));
    await soon();
    queue.push(checkpoint("req_2", 1n));
    queue.failed("gone");
    queue.push(checkpoint("req_2", 2n));
    queue.push(settle("req_3"));
    await soon();
    queue.failed("gone");
    await soon();
    expect(kept()).toEqual(["settle req_1", "checkpoint req_2 1", "checkpoint req_2 2", "settle req_3"]);
    await Bun.sleep(520);
    expect(batches.at(-1)).toEqual(["settle req_1", "settle req_3"]);
    committed();
    await soon();
    expect(kept()).toEqual([]);
  });
});

test("what a batch that does not come back holds up is in the journal before it is given up", async () => {
  const { queue, committed, kept, events } = rig();
  queue.push(settle("req_1"));
  await soon();
  queue.push(settle("req_2"));
  await Bun.sleep(600);
  queue.push(settle("req_3"));
  await soon();
  expect(kept()).toEqual(["settle req_1", "settle req_2", "settle req_3"]);
  expect(events).toEqual([]);
  committed();
  await soon();
  committed();
  await soon();
  expect(kept()).toEqual([]);
});

test("it closes in time whatever the database does, and leaves in the journal what was not written", async () => {
  const { queue, kept } = rig();
  queue.push(settle("req_1"));
  await soon();
  queue.push(settle("req_2"));
  const since = performance.now();
  await queue.close();
  expect(performance.now() - since).toBeLessThan(2_000);
  expect(kept()).toEqual(["settle req_1", "settle req_2"]);
  expect(await outcome(queue.admit(request("req_3")).decided)).toBe("the store is closed");
});

test("flushed is what was there when it was asked, however much comes after", async () => {
  const { queue, committed } = rig();
  queue.push(settle("req_1"));
  await soon();
  let isFlushed = false;
  void queue.flushed().then(() => {
    isFlushed = true;
  });
  queue.push(settle("req_2"));
  await soon();
  expect(isFlushed).toBe(false);
  committed();
  await soon();
  expect(isFlushed).toBe(true);
});
