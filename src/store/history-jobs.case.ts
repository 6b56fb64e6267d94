import type { Id } from "../domain/ids.ts";
import { limitAccount } from "./account-limits.ts";
import { enableAccount, moveBalance } from "./accounts.ts";
import { type ApplySpec, applySpec } from "./apply.ts";
import type { By } from "./audit.ts";
import { tester } from "./audit-test-rig.ts";
import { newId, time } from "./bank.case.ts";
import { redeemCode } from "./codes.ts";
import { at, type Books, balanceOf, heldOf, type SubscriptionState } from "./history-model.case.ts";
import type { Job } from "./history-world.case.ts";
import { deleteKey, editKey, enableKey } from "./keys.ts";
import { refundRequest } from "./refunds.ts";
import { StoreProblem } from "./store.ts";
import type { Tx } from "./tx.ts";

/** What an operator does, at the database and in the model. Both answer whether it was done or refused. */
export type Deed = { work: (tx: Tx) => Promise<unknown>; model: (books: Books) => boolean };

type Made = { by: By; why: string };
type Of<N extends Job["job"]> = Extract<Job, { job: N }>;

export function deedOf(books: Books, job: Job): Deed {
  const made: Made = { by: tester(books.nowMs), why: "because" };
  switch (job.job) {
    case "credit":
    case "debit":
      return move(books, job, made);
    case "refund":
      return refund(books, job, made);
    case "redeem":
      return redeem(books, job, made);
    case "edit key":
      return editOfKey(books, job);
    case "edit group":
      return editOfGroup(books, job);
    case "edit plan":
      return editOfPlan(books, job);
    case "subscribe":
    case "end subscription":
      return subscribe(books, job);
    default:
      return change(books, job);
  }
}

/** `done`, or `refused` where the store says in a sentence why it cannot be. */
export function outcome(done: Promise<unknown>): Promise<string> {
  return done.then(
    () => "done",
    (error: unknown) => {
      if (error instanceof StoreProblem) return "refused";
      throw error;
    },
  );
}

function move(books: Books, job: Of<"credit" | "debit">, made: Made): Deed {
  const { email } = at(books.accounts, job.account);
  const account = job.account % books.accounts.length;
  const amount = job.job === "credit" ? job.amount : -job.amount;
  const once = job.job === "credit" && job.once !== null ? `credit ${job.once}` : null;
  const ledgerId = newId("led");
  return {
    work: tx => moveBalance(tx, { ...made, email, ledgerId, amount, once }),
    model: now => {
      if (amount === 0n) return false;
      const before = now.lines.find(line => once !== null && line.once === once);
      if (before !== undefined) return before.account === account && before.amount === amount;
      if (amount < 0n && balanceOf(now, account) - heldOf(now, account) < -amount) return false;
      const kind = amount > 0n ? "credit" : "debit";
      now.lines.push({ account, kind, amount, pocket: "balance", requestId: null, once });
      return true;
    },
  };
}

function refund(books: Books, { request, amount }: Of<"refund">, made: Made): Deed {
  const charged = books.lines.filter(({ kind }) => kind === "charge").map(line => line.requestId);
  const known = [...charged, ...books.requests.slice(0, 1).map(({ id }) => id), "req_none"];
  const requestId = at(known, request) ?? "";
  const ledgerId = newId("led");
  return {
    work: tx => refundRequest(tx, { ...made, requestId, ledgerId, amount }),
    model: now => {
      const lines = now.lines.filter(line => line.requestId === requestId);
      const charge = lines.find(({ kind }) => kind === "charge");
      if (charge === undefined || charge.pocket !== "balance") return false;
      const left = -lines.reduce((total, line) => total + line.amount, 0n);
      const given = amount ?? left;
      if (given <= 0n || given > left) return false;
      now.lines.push({ ...charge, kind: "refund", amount: given });
      return true;
    },
  };
}

function redeem(books: Books, { account, code }: Of<"redeem">, made: Made): Deed {
  const { email } = at(books.accounts, account);
  const place = books.codes.length === 0 ? -1 : code % books.codes.length;
  const ledgerId = newId("led");
  return {
    work: tx => redeemCode(tx, { ...made, email, hash: `code ${place}`, ledgerId }),
    model: now => {
      const found = now.codes[place];
      if (!at(now.accounts, account).enabled || found === undefined || found.redeemed) return false;
      if (found.expiresAtMs !== null && now.nowMs >= found.expiresAtMs) return false;
      found.redeemed = true;
      const line = { kind: "redemption", amount: found.amount, pocket: "balance" };
      now.lines.push({ ...line, account: account % now.accounts.length, requestId: null, once: null });
      return true;
    },
  };
}

type Simple = Of<"enable key" | "delete key" | "enable account" | "limit account">;

function change(books: Books, job: Simple): Deed {
  if (job.job === "enable account" || job.job === "limit account") {
    const { email } = at(books.accounts, job.account);
    return {
      work: tx =>
        job.job === "enable account"
          ? enableAccount(tx, { email, enabled: job.enabled, by: tester(books.nowMs) })
          : limitAccount(tx, { email, limits: job.limits, by: tester(books.nowMs) }),
      model: now => {
        const account = at(now.accounts, job.account);
        if (job.job === "enable account") account.enabled = job.enabled;
        else account.limits = job.limits;
        return true;
      },
    };
  }
  const { id } = at(books.keys, job.key);
  return {
    work: tx =>
      job.job === "enable key"
        ? enableKey(tx, { id, enabled: job.enabled, by: tester(books.nowMs) })
        : deleteKey(tx, { id, by: tester(books.nowMs) }),
    model: now => {
      const key = at(now.keys, job.key);
      if (job.job === "enable key" && key.deleted) return false;
      if (job.job === "enable key") key.enabled = job.enabled;
      else key.deleted = true;
      return true;
    },
  };
}

function editOfKey(books: Books, { key: place, setting }: Of<"edit key">): Deed {
  const { id } = at(books.keys, place);
  const { quota, limits } = setting;
  const group = setting.group % books.groups.length;
  const expiresAtMs = setting.expiresMs === null ? null : books.nowMs + setting.expiresMs;
  const groupId = at(books.groups, group).id;
  return {
    work: tx => editKey(tx, { id, groupId, quota, expiresAtMs, ...limits }),
    model: now => {
      Object.assign(at(now.keys, place), { group, quota, expiresAtMs, limits });
      return true;
    },
  };
}

function editOfGroup(books: Books, { group: place, setting }: Of<"edit group">): Deed {
  const { id, name } = at(books.groups, place);
  return {
    work: tx =>
      applied(tx, { groups: [{ id, name, ...setting, models: ["m"], description: null, accounts: null }] }),
    model: now => {
      Object.assign(at(now.groups, place), setting);
      return true;
    },
  };
}

function editOfPlan(books: Books, { plan: place, quota }: Of<"edit plan">): Deed {
  const { id, name, period, groups: places } = at(books.plans, place);
  const groups = places.map(group => at(books.groups, group).name);
  return {
    work: tx => applied(tx, { plans: [{ id, name, groups, quota, window: period }] }),
    model: now => {
      at(now.plans, place).quota = quota;
      return true;
    },
  };
}

/** The list of an account's subscriptions is given whole: what it does not name ends. */
function subscribe(books: Books, job: Of<"subscribe" | "end subscription">): Deed {
  const account = job.account % books.accounts.length;
  const plan = job.plan % books.plans.length;
  const newest: Id<"sub"> = newId("sub");
  const untilMs =
    job.job === "subscribe" ? (job.untilMs === null ? null : books.nowMs + job.untilMs) : undefined;
  const listed = (now: Books): SubscriptionState[] => {
    const kept = now.subscriptions.filter(
      one => one.account === account && one.plan !== plan && isRunning(one, now.nowMs),
    );
    return untilMs === undefined ? kept : [...kept, { id: newest, account, plan, untilMs }];
  };
  const subscriptions = listed(books).map(one => ({
    subscriptionId: one.id,
    plan: at(books.plans, one.plan).name,
    untilMs: one.untilMs,
  }));
  const { id, email } = at(books.accounts, account);
  const spec = { id, ledgerId: newId("led"), email, role: "holder", balance: 0n, limits: null } as const;
  return {
    work: tx => applied(tx, { accounts: [{ ...spec, subscriptions }] }),
    model: now => {
      const found = now.subscriptions.find(one => one.account === account && one.plan === plan);
      if (untilMs === undefined) {
        if (found !== undefined && isRunning(found, now.nowMs)) found.untilMs = now.nowMs;
      } else if (found === undefined) now.subscriptions.push({ id: newest, account, plan, untilMs });
      else found.untilMs = untilMs;
      return true;
    },
  };
}

function isRunning({ untilMs }: SubscriptionState, nowMs: number): boolean {
  return untilMs === null || untilMs > nowMs;
}

/** As an operator's file does, in one transaction; such a file of the tests has no problem. */
export async function applied(tx: Tx, spec: Partial<ApplySpec>): Promise<void> {
  const none = { upstreams: [], models: [], groups: [], plans: [], accounts: [], keys: [] };
  const { problems } = await applySpec(tx, {
    ...{ ...none, by: tester(time.nowMs), dryRun: false },
    ...spec,
  });
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
}
