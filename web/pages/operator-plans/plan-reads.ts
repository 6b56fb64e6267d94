import type { Answer, Name } from "../../api/client.ts";
import type { operatorPlansSearch } from "../../app/search.ts";
import { ACCOUNT_READS } from "../operator-accounts/account-reads.ts";

export type Plan = Answer<"GET /operator/plans">["plans"][number];
export type Holder = Plan["holders"][number];
export type PlansSearch = ReturnType<typeof operatorPlansSearch>;

/** What is read anew after any change of a plan, or of who has it. */
export const PLAN_READS: readonly Name[] = [...ACCOUNT_READS, "GET /groups"];
