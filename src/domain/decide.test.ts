import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Account } from "./account.ts";
import type { ApiKey } from "./api-key.ts";
import { type Ask, type DecideRows, decide, keyRefusal, OUTPUT_TOKENS_MIN, stringRefusal } from "./decide.ts";
import { refusal } from "./errors.ts";
import type { Group } from "./group.ts";
import { type Meters, NO_LIMITS } from "./limits.ts";
import { nanosUp } from "./money.ts";
import type { Subscription } from "./plan.ts";
import { type SpendWindow, windowKey } from "./spend-window.ts";

const nowMs = 1_800_000_000_000;

const AT_REST: Meters = { open: 0, arrivalNs: 0n, tokenArrivalNs: 0n };
const key: ApiKey = {
  id: "key_1",
  accountId: "acc_1",
  groupId: "grp_1",
  name: "laptop",
  preview: "wgk_ab…wxyz",
  enabled: true,
  deletedAtMs: null,
  expiresAtMs: null,
  quota: null,
  spent: 0n,
  held: 0n,
  ...NO_LIMITS,
  ...AT_REST,
};
const account: Account = {
  id: "acc_1",
  email: "ann@example.org",
  role: "holder",
  enabled: true,
  balance: 1_000_000_000n,
  held: 0n,
  ...NO_LIMITS,
  ...AT_REST,
};
const group: Group = {
  id: "grp_1",
  name: "default",
  enabled: true,
  multiplier: 10_000,
  models: ["gpt-*"],
  billing: "balance",
  limits: NO_LIMITS,
  description: "",
  accounts: null,
};
const ask: Ask = {
  model: "gpt-5",
  problem: null,
  // 1,000 nano-dollars for the input, 10 for each output token.
  quote: {
    priceId: "prc_1",
    basePicos: 1_000_000n,
    outputPicos: 10_000n,
    outputTokens: 100,
    heldTokens: 100,
    choices: 1,
  },
  inputTokens: 20,
};

type Change = {
  key?: Partial<ApiKey>;
  account?: Partial<Account>;
  group?: Partial<Group>;
  ask?: Partial<Ask>;
  subscriptions?: Subscription[];
  windows?: SpendWindow[];
};

function decided(change: Change = {}) {
  const rows: DecideRows = {
    key: { ...key, ...change.key },
    account: { ...account, ...change.account },
    group: { ...group, ...change.group },
    subscriptions: change.subscriptions ?? [],
    windows: new Map((change.windows ?? []).map(window => [windowKey(window), window])),
  };
  return decide(rows, { ...ask, ...change.ask }, nowMs);
}

function reason(change: Change): string {
  const decision = decided(change);
  return decision.admitted ? "admitted" : decision.refusal.reason;
}

/** In the order in which a person would have to mend them: each one hides all that follow. */
const faults: [string, Change][] = [
  ["key_deleted", { key: { deletedAtMs: nowMs - 1 } }],
  ["key_expired", { key: { expiresAtMs: nowMs } }],
  ["key_disabled", { key: { enabled: false } }],
  ["account_disabled", { account: { enabled: false } }],
  ["request_invalid", { ask: { problem: refusal("request_invalid"), quote: null } }],
  ["group_disabled", { group: { enabled: false } }],
  ["group_not_allowed", { group: { accounts: new Set(["acc_2"] as const) } }],
  ["group_not_allowed", { group: { accounts: new Set<never>() } }],
  ["model_not_in_group", { group: { models: ["claude-*"] } }],
  ["concurrency_limited", { key: { concurrency: 2, open: 2 } }],
  [
    "rate_limited",
    { key: { requestsPerMinute: 1, arrivalNs: BigInt(nowMs) * 1_000_000n + 60_000_000_000n } },
  ],
  ["key_quota_exhausted", { key: { quota: 400n } }],
  ["balance_exhausted", { account: { balance: 500n } }],
];

describe("a decision", () => {
  test("admits with a hold of the whole bound", () => {
    expect(decided()).toMatchObject({ admitted: true, hold: 2_000n, outputTokens: 100, multiplier: 10_000 });
  });

  test("has a multiplier, rounded upward once", () => {
    expect(decided({ group: { multiplier: 13_333 } })).toMatchObject({ hold: 2_667n });
  });

  for (const [at, [name, change]] of faults.entries()) {
    test(`${name} is found, whatever comes after it`, () => {
      expect(reason(change)).toBe(name);
      for (const [, later] of faults.slice(at + 1)) {
        const both: Change = {
          key: { ...later.key, ...change.key },
          account: { ...later.account, ...change.account },
          group: { ...later.group, ...change.group },
          ask: { ...later.ask, ...change.ask },
        };
        expect(reason(both)).toBe(name);
      }
    });
  }

  test("an unknown model is not in the group, an unpriced one says so, and both are told only to those who may use them", () => {
    const unknown = { problem: refusal("model_not_in_group"), quote: null };
    const unpriced = { problem: refusal("model_unpriced", { model: "gpt-5" }), quote: null };
    expect(reason({ ask: unknown })).toBe("model_not_in_group");
    expect(reason({ ask: unpriced })).toBe("model_unpriced");
    expect(reason({ ask: unpriced, group: { models: [] } })).toBe("model_not_in_group");
  });

  test("that nobody serves the model is told last", () => {
    const nobody = { problem: refusal("no_upstream", { model: "gpt-5" }) };
    expect(reason({ ask: nobody })).toBe("no_upstream");
    expect(reason({ ask: nobody, account: { balance: 0n } })).toBe("balance_exhausted");
  });

  test("takes no money from a pocket that the group does not name", () => {
    expect(reason({ group: { billing: "subscription" } })).toBe("subscription_exhausted");
  });

  test("is free at a price or multiplier of nothing, even with an empty pocket", () => {
    expect(reason({ group: { multiplier: 0 }, account: { balance: 0n } })).toBe("admitted");
  });
});

describe("a pocket that is nearly empty", () => {
  const long = {
    quote: {
      priceId: "prc_1",
      basePicos: 1_000_000n,
      outputPicos: 10_000n,
      outputTokens: 10_000,
      heldTokens: 10_000,
      choices: 1,
    },
  } as const;

  test("lowers the output to what it affords, to the last token", () => {
    expect(decided({ ask: long, account: { balance: 9_999n } })).toMatchObject({
      outputTokens: 899,
      hold: 9_990n,
    });
    expect(decided({ ask: long, key: { quota: 9_999n } })).toMatchObject({ outputTokens: 899, hold: 9_990n });
  });

  test(`refuses where fewer than ${OUTPUT_TOKENS_MIN} tokens would come of it`, () => {
    expect(decided({ ask: long, account: { balance: 1_640n } })).toMatchObject({
      outputTokens: OUTPUT_TOKENS_MIN,
    });
    expect(reason({ ask: long, account: { balance: 1_639n } })).toBe("balance_exhausted");
  });

  test("counts what is held as gone", () => {
    expect(reason({ account: { balance: 10_000n, held: 9_000n } })).toBe("balance_exhausted");
    expect(reason({ key: { quota: 10_000n, spent: 5_000n, held: 4_000n } })).toBe("key_quota_exhausted");
  });
});

test("no hold is more than any pocket has, and no grant more than was asked", () => {
  const nanos = fc.bigInt({ min: 0n, max: 10n ** 13n });
  const sample = fc.record({
    balance: nanos,
    held: nanos,
    quota: fc.option(nanos),
    spent: nanos,
    multiplier: fc.integer({ min: 0, max: 100_000 }),
    basePicos: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    outputPicos: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    outputTokens: fc.integer({ min: 1, max: 1_000_000 }),
  });
  fc.assert(
    fc.property(
      sample,
      ({ balance, held, quota, spent, multiplier, basePicos, outputPicos, outputTokens }) => {
        const quote = {
          priceId: "prc_1",
          basePicos,
          outputPicos,
          outputTokens,
          heldTokens: outputTokens,
          choices: 1,
        } as const;
        const change = {
          key: { quota, spent },
          account: { balance, held },
          group: { multiplier },
          ask: { quote },
        };
        const decision = decided(change);
        if (!decision.admitted) return;
        expect(decision.hold).toBeLessThanOrEqual(balance - held);
        if (quota !== null) expect(decision.hold).toBeLessThanOrEqual(quota - spent);
        expect(decision.outputTokens).toBeLessThanOrEqual(outputTokens);
        const bound = basePicos + outputPicos * BigInt(decision.outputTokens);
        expect(decision.hold).toBe(nanosUp(bound, multiplier));
      },
    ),
    { numRuns: 2_000 },
  );
});

describe("a string that was replaced", () => {
  const at = (stringUntilMs: number) => keyRefusal({ key, account, stringUntilMs }, nowMs);

  test("works until its time, and not in the millisecond in which it ends", () => {
    expect(at(nowMs + 1)).toBe(null);
    expect(at(nowMs)).toEqual({
      reason: "key_replaced",
      params: { key: "laptop", ended: "2027-01-15T08:00:00.000Z" },
    });
    expect(keyRefusal({ key, account }, nowMs)).toBe(null);
  });

  test("is told of after the state of the key and its account, but is dead whatever they are", () => {
    const disabled = { ...key, enabled: false };
    expect(keyRefusal({ key: disabled, account, stringUntilMs: nowMs }, nowMs)?.reason).toBe("key_disabled");
    const shut = { ...account, enabled: false };
    expect(keyRefusal({ key, account: shut, stringUntilMs: nowMs }, nowMs)?.reason).toBe("account_disabled");
    expect(stringRefusal({ key: disabled, stringUntilMs: nowMs }, nowMs)?.reason).toBe("key_replaced");
  });
});
