import type { Id } from "../../../domain/ids.ts";
import { byOf } from "../../control.ts";
import { keyView } from "../keys-view.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Handlers, SignedIn } from "../visit.ts";
import { accountOf } from "./accounts.ts";

export const accountKeyHandlers = {
  "GET /operator/accounts/{id}/keys": async (visit, { params }) => {
    const { person } = await accountOf(visit, params.id);
    return keysView(visit, person.account.id);
  },

  "POST /operator/accounts/{id}/keys/{key}/{change}": async (visit, { params }) => {
    const { desk, nowMs } = visit;
    const { person } = await accountOf(visit, params.id);
    const { id: accountId } = person.account;
    const key = await desk.store.report("key.of_account", { accountId, nowMs, id: params.key });
    if (key === null) throw new ConsoleProblem("not_found", "This account has no such key.");
    await changeKey(visit, key.id, params.change);
    return keysView(visit, accountId);
  },
} satisfies Partial<Handlers>;

async function changeKey({ desk, control }: SignedIn, id: Id<"key">, change: string): Promise<void> {
  const by = byOf(control);
  switch (change) {
    case "enable":
    case "disable":
      await desk.store.run("key.enable", { id, enabled: change === "enable", by });
      return;
    case "delete":
      await desk.store.run("key.delete", { id, by });
      return;
    default:
      throw new ConsoleProblem("not_found", "A key can be disabled, enabled or deleted, and nothing else.");
  }
}

async function keysView({ desk }: SignedIn, accountId: Id<"acc">) {
  const nowMs = desk.nowMs();
  const keys = await desk.store.report("keys.of_account", { accountId, nowMs });
  return { keys: keys.map(key => keyView(key, nowMs)) };
}
