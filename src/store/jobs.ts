import { limitAccount } from "./account-limits.ts";
import { addAccount, enableAccount, moveBalance } from "./accounts.ts";
import { applySpec } from "./apply.ts";
import { readCatalogue, revision } from "./catalogue.ts";
import { createCodes, redeemCode, revokeCode } from "./codes.ts";
import { checkSecret } from "./house.ts";
import { bootsWithHolds, forgetInstance, heartbeat, listInstances } from "./instances.ts";
import { createKey, deleteKey, enableKey, keyHolder, stoppedKeys } from "./keys.ts";
import { refundRequest } from "./refunds.ts";
import type { Tx } from "./tx.ts";
import { addUpstream, listUpstreams, removeUpstream } from "./upstreams.ts";

/** Everything that runs in a transaction of the writer, by name; each takes a transaction and one value. */
export const jobs = {
  "account.add": addAccount,
  "account.move": moveBalance,
  "account.refund": refundRequest,
  "account.enable": enableAccount,
  "account.limit": limitAccount,
  "code.create": createCodes,
  "code.redeem": redeemCode,
  "code.revoke": revokeCode,
  "key.create": createKey,
  "key.enable": enableKey,
  "key.delete": deleteKey,
  "key.holder": keyHolder,
  "keys.stopped": stoppedKeys,
  "catalogue.read": (tx: Tx, _args: Record<string, never>) => readCatalogue(tx),
  "catalogue.revision": (tx: Tx, _args: Record<string, never>) => revision(tx),
  "instance.heartbeat": heartbeat,
  "instance.forget": forgetInstance,
  "instance.list": (tx: Tx, _args: Record<string, never>) => listInstances(tx),
  "instance.holders": (tx: Tx, _args: Record<string, never>) => bootsWithHolds(tx),
  "house.secret": checkSecret,
  "upstream.list": (tx: Tx, _args: Record<string, never>) => listUpstreams(tx),
  "upstream.add": addUpstream,
  "upstream.remove": removeUpstream,
  apply: applySpec,
} as const;

export type Jobs = typeof jobs;

/** These change nothing, so they take no write lock. */
export const readingJobs: ReadonlySet<string> = new Set<keyof Jobs>([
  "key.holder",
  "keys.stopped",
  "catalogue.read",
  "catalogue.revision",
  "instance.list",
  "instance.holders",
  "upstream.list",
]);
