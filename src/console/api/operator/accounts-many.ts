import { type Id, isId } from "../../../domain/ids.ts";
import { parseUsd } from "../../../domain/money.ts";
import type { AccountChange } from "../../../store/account-admin.ts";
import type { Calls } from "../../contract/contract.ts";
import { byOf } from "../../control.ts";
import { fieldProblem } from "../keys-form.ts";
import type { Handlers, SignedIn } from "../visit.ts";
import { demandOther, readReason, readUntil } from "./accounts.ts";

type Given = Calls["POST /operator/accounts/many"]["body"]["change"];

export const accountsManyHandlers = {
  "POST /operator/accounts/many": async (visit, { body }) => {
    const { desk, control } = visit;
    const change = readChange(visit, body.change);
    const accounts = readIds(body.ids).map(id => {
      if (body.change.what === "disable") demandOther(visit, id);
      return { id, ledgerId: desk.newId("led"), subscriptionId: desk.newId("sub") };
    });
    return desk.store.run("accounts.change", { accounts, change, by: byOf(control) });
  },
} satisfies Partial<Handlers>;

/** Named twice, an account is changed once. */
function readIds(given: readonly string[]): Id<"acc">[] {
  return [...new Set(given)].map(id => {
    if (isId("acc", id)) return id;
    throw fieldProblem("ids", "One of these is not the id of an account, so nothing was changed.");
  });
}

function readChange({ nowMs }: SignedIn, given: Given): AccountChange {
  switch (given.what) {
    case "enable":
      return { what: "edit", enabled: true };
    case "disable":
      return { what: "edit", enabled: false };
    case "credit": {
      const amount = parseUsd(given.amount_usd) ?? 0n;
      if (amount === 0n) throw fieldProblem("change.amount_usd", "Enter more than zero.");
      return { what: "move", amount, why: readReason(given), once: given.once };
    }
    case "subscribe":
      return { what: "subscribe", planId: given.plan, untilMs: readUntil(given.until, nowMs) };
  }
}
