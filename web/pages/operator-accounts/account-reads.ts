import type { Answer, Name } from "../../api/client.ts";

export type Person = Answer<"GET /operator/accounts">["accounts"][number];
export type Detail = Answer<"GET /operator/accounts/{id}">;
export type AccountKey = Answer<"GET /operator/accounts/{id}/keys">["keys"][number];
export type Subscription = Detail["subscriptions"][number];

/** What is read anew after any change of an account; an operator may have changed their own. */
export const ACCOUNT_READS: readonly Name[] = [
  "GET /operator/accounts",
  "GET /operator/accounts/{id}",
  "GET /operator/accounts/{id}/keys",
  "GET /operator/accounts/{id}/ledger",
  "GET /operator/plans",
  "GET /session",
  "GET /account",
];
