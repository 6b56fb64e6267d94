import { afterAll, beforeAll, expect } from "bun:test";
import type { Dialect } from "../src/domain/usage.ts";
import { UPSTREAM_CREDENTIAL, UPSTREAM_NAME } from "./harness-rig.ts";
import type { UpstreamExchange } from "./harness-upstream.ts";
import { endingOf } from "./hostile-ending.ts";
import {
  ALL_PAIRS,
  type Answered,
  type HostileRig,
  logFaults,
  type Pair,
  pairName,
  priceFaults,
  startHostileRig,
} from "./hostile-rig.ts";
import { VOICES, type Voice } from "./hostile-voice.ts";

/** An upstream that says something, and what its clients of each dialect make of it. */

export type Says = (exchange: UpstreamExchange, voice: Voice, dialect: Dialect) => void | Promise<void>;

export const STREAMING = ALL_PAIRS.filter(({ stream }) => stream);
export const WHOLE = ALL_PAIRS.filter(({ stream }) => !stream);
export const SECRET = `Incorrect API key ${UPSTREAM_CREDENTIAL} of ${UPSTREAM_NAME}: organisation org-secret`;
const SECRETS = [UPSTREAM_CREDENTIAL, UPSTREAM_NAME, "org-secret"];

/** A good answer, said in the order that it should have; what is given stands in the midst of it. */
export const good = (voice: Voice, midst = "") =>
  voice.start + voice.word("Hi") + midst + voice.close + voice.end(voice.usage(5, 5));
export const inTheMidst =
  (midst: (voice: Voice) => string): Says =>
  (exchange, voice) =>
    exchange.stream([good(voice, midst(voice))]);

export type HostilePlay = {
  rig: () => HostileRig;
  asked: readonly Answered[];
  /** Every pair ends like this: how, and with which words. */
  expectEndings: (pairs: readonly Pair[], says: Says, expected: string | RegExp) => Promise<void>;
  /** The rows, the books and the process, after all of it. */
  expectGoodOrder: () => Promise<void>;
};

/** Begun before the tests of a file and ended after them, with clean books. */
export function hostilePlay(): HostilePlay {
  let rig: HostileRig;
  const asked: Answered[] = [];
  beforeAll(async () => {
    rig = await startHostileRig({ WICKETGATE_IDLE_SECONDS: "1", WICKETGATE_LINE_MIB: "8" });
  });
  afterAll(() => rig.stop());
  return {
    rig: () => rig,
    asked,
    expectEndings: async (pairs, says, expected) => {
      rig.script(dialect => exchange => says(exchange, VOICES[dialect], dialect));
      const all = await Promise.all(pairs.map(pair => rig.ask(pair)));
      asked.push(...all);
      expect(all.flatMap(one => endingFaults(one, expected))).toEqual([]);
    },
    expectGoodOrder: async () => {
      rig.script(
        dialect => exchange => exchange.reply(200, VOICES[dialect].whole("Hi", VOICES[dialect].usage(5, 5))),
      );
      const last = await rig.ask({ client: "chat", upstream: "messages", stream: false });
      expect(endingOf(last)).toMatchObject({ kind: "end", text: "Hi" });
      const rows = await rig.rows();
      expect(asked.flatMap(one => rowFaults(one, rows.get(one.requestId)))).toEqual([]);
      expect(logFaults(rig.gateway.log())).toEqual([]);
      process.kill(rig.gateway.pid, 0);
    },
  };
}

function endingFaults(answered: Answered, expected: string | RegExp): string[] {
  const { kind, text, faults } = endingOf(answered);
  const word = `${kind} ${text.slice(0, 60)}`.trim();
  const isRight = typeof expected === "string" ? word === expected : expected.test(word);
  const whole = answered.text + JSON.stringify([...answered.headers]);
  const told = SECRETS.filter(secret => whole.includes(secret)).map(secret => `tells ${secret}`);
  const all = [...(isRight ? [] : [word]), ...faults, ...told];
  return all.map(fault => `${pairName(answered.pair)}: ${fault}`);
}

function rowFaults(answered: Answered, row: Parameters<typeof priceFaults>[0]): string[] {
  const { kind, text } = endingOf(answered);
  const faults = priceFaults(row);
  if (kind === "refused" && row?.state !== "voided") faults.push(`refused, and ${row?.state}`);
  if (kind === "error" && row?.status === 200) faults.push("an error, and 200");
  // Not one token of an error's text, or of what came after it.
  if (kind === "error" && (row?.output_tokens ?? 0) > text.length)
    faults.push(`${row?.output_tokens} tokens for ${text}`);
  return faults.map(fault => `${pairName(answered.pair)} ${answered.requestId}: ${fault}`);
}
