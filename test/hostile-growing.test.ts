import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Dialect } from "../src/domain/usage.ts";
import type { Json } from "../src/protocols/protocol.ts";
import { sdkReply } from "../src/protocols/sdk-reply.case.ts";
import { applyYaml, keyOf, type MadeKey, mustRun, nanos } from "./harness.ts";
import { WORDS } from "./harness-growing.ts";
import { endingOf } from "./hostile-ending.ts";
import { type HostileRig, PAIRS, type Pair, pairName, plainBody, startHostileRig } from "./hostile-rig.ts";
import { VOICES, type Voice } from "./hostile-voice.ts";

/**
 * A stream that no pocket pays for any longer ends as if it had reached its length, in every dialect, native and
 * translated: the official SDKs read it to its end, and the account is never below nothing.
 */

const BALANCE = "0.80";
/** At 100 USD per million tokens. */
const TOKENS_PAID = 8_000;
let rig: HostileRig;
let keys: ReadonlyMap<string, MadeKey>;
const costs = new Map<string, bigint>();
beforeAll(async () => {
  rig = await startHostileRig();
  const poor = PAIRS.flatMap(pair => Object.keys(TALKS).map(what => poorName(pair, what)));
  const accounts = poor.map(name => `  - { email: ${name}@example.org, balance: ${BALANCE} }`);
  const made = poor.map(name => `  - { account: ${name}@example.org, name: ${name}, group: default }`);
  keys = await applyYaml(rig.dir, `accounts:\n${accounts.join("\n")}\nkeys:\n${made.join("\n")}\n`);
});
afterAll(() => rig.stop());

/** The word for it in each dialect, where its SDK puts it. */
const ENDS: Record<Dialect, (reply: Json) => unknown> = {
  chat: reply => (reply["choices"] as Json[])[0]?.["finish_reason"],
  messages: reply => reply["stop_reason"],
  responses: reply => reply["incomplete_details"],
};
const LENGTH: Record<Dialect, unknown> = {
  chat: "length",
  messages: "max_tokens",
  responses: { reason: "max_output_tokens" },
};

/** Each has an account of its own, and a key of the same name. */
const poorName = ({ client, upstream }: Omit<Pair, "stream">, what: string) =>
  `${client}-${upstream}-${what.replaceAll(" ", "-")}`;

/** In chat the close is that of the whole answer. */
const beforeCall = (voice: Voice) =>
  voice.start + voice.word("Hi") + (voice === VOICES.chat ? "" : voice.close);

type Talk = { start: (voice: Voice) => string; more: (voice: Voice) => string };

const TALKS: Readonly<Record<string, Talk>> = {
  text: { start: voice => voice.start, more: voice => voice.word(WORDS.repeat(8)) },
  "the arguments of a call": {
    start: voice => `${beforeCall(voice)}${voice.callStart(0)}${voice.callPiece(0, '{"q":"')}`,
    more: voice => voice.callPiece(0, WORDS.repeat(8)),
  },
};

/** Talks until nobody listens. */
function endless({ upstream }: Omit<Pair, "stream">, { start, more }: Talk): void {
  const voice = VOICES[upstream];
  rig.upstreams[upstream].script(async exchange => {
    await exchange.begin();
    await exchange.piece(start(voice));
    const piece = more(voice);
    for (let sent = 0; sent < 3_000 && exchange.isOpen; sent++) await exchange.piece(piece);
  });
}

describe.each(PAIRS.map(pair => ({ ...pair, name: pairName({ ...pair, stream: true }) })))("$name:", pair => {
  test.each(Object.entries(TALKS))(
    "%s without end ends at the length that was paid for",
    async (what, talk) => {
      const { key, id, name } = keyOf(keys, poorName(pair, what));
      endless(pair, talk);
      const answered = await rig.ask({ ...pair, stream: true }, askFor(pair), key);
      const { kind, faults } = endingOf(answered);
      expect({ kind, faults }).toEqual({ kind: "length", faults: [] });

      const reply = await sdkReply(pair.client, Buffer.from(answered.text));
      expect(ENDS[pair.client](reply)).toEqual(LENGTH[pair.client]);
      // Of arguments that are cut off, one of the SDKs leaves out what is cut.
      expect(what === "text" ? JSON.stringify(reply) : answered.text).toContain(WORDS.repeat(8));

      const row = (await rig.rows(id)).get(answered.requestId);
      expect(row).toMatchObject({ state: "settled", status: 200, reason: "balance_exhausted" });
      expect(row?.output_tokens).toBeWithin(TOKENS_PAID / 2, TOKENS_PAID + 1);
      const cost = nanos(row?.cost ?? "99");
      expect(cost).toBeLessThanOrEqual(nanos(row?.held ?? "0"));
      costs.set(`${name}@example.org`, cost);
    },
  );
});

test("each account has paid what it cost, and none has less than nothing", async () => {
  const listed = await mustRun(rig.dir, ["account", "list", "--json"]);
  const accounts = JSON.parse(listed) as { email: string; balance: string }[];
  const balances = new Map(accounts.map(({ email, balance }) => [email, balance]));
  expect(costs.size).toBe(PAIRS.length * Object.keys(TALKS).length);
  for (const [email, cost] of costs) {
    expect(balances.get(email)).not.toStartWith("-");
    expect(nanos(balances.get(email) ?? "99")).toBe(nanos(BALANCE) - cost);
  }
});

function askFor({ client, upstream }: Omit<Pair, "stream">): Record<string, unknown> {
  const limit = client === "messages" ? { max_tokens: 50_000 } : {};
  return { ...plainBody(client, `long-${upstream}`), ...limit };
}
