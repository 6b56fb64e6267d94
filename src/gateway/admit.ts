import { type Ask, stringRefusal } from "../domain/decide.ts";
import { type Refusal, refusal } from "../domain/errors.ts";
import type { Admission, PendingAdmission } from "../store/store.ts";
import type { Call } from "./call.ts";
import type { Gate } from "./gate.ts";

export type Admit = { call: Call; keyHash: string; ask: Ask; stream: boolean };

const TOOL_CHARACTERS_MAX = 200;

/** Asks the store, which decides everything that must be true now and writes the hold. */
export function admit({ call, keyHash, ask, stream }: Admit, gate: Gate): PendingAdmission {
  const tool = call.http.headers.get("user-agent") ?? "";
  return gate.store.admit({
    id: call.id,
    keyHash,
    startedAtMs: call.startedAtMs,
    dialect: call.operation,
    stream,
    tool: tool.length > TOOL_CHARACTERS_MAX ? tool.slice(0, TOOL_CHARACTERS_MAX) : tool,
    address: gate.clientAddress(call.http),
    ask,
  });
}

/** A database that cannot decide is a breakdown, which the client hears of as a refusal that may be tried again. */
export async function decided(pending: PendingAdmission, call: Call, gate: Gate): Promise<Admission> {
  const askedTick = performance.now();
  try {
    const admission = await pending.decided;
    gate.metrics.decided(admission.admitted ? "admitted" : "refused", performance.now() - askedTick);
    return admission;
  } catch (error) {
    gate.metrics.decided("failed", performance.now() - askedTick);
    return { admitted: false, refusal: undecided(call, error, gate), recorded: false };
  }
}

export function undecided(call: Call, error: unknown, gate: Gate): Refusal {
  const why = error instanceof Error ? error.message : String(error);
  gate.log("error", "store.unavailable", { request: call.id, why });
  return refusal("store_unavailable");
}

/** Of several strings that one request carried, the one that is a key here. */
export function knownHash(hashes: readonly string[], gate: Gate): string | Promise<string> {
  const [first = ""] = hashes;
  return hashes.length < 2 ? first : findHash(hashes, first, gate);
}

async function findHash(hashes: readonly string[], first: string, gate: Gate): Promise<string> {
  let replaced: string | null = null;
  try {
    for (const hash of hashes) {
      const holder = await gate.store.run("key.holder", { hash });
      if (holder !== null && stringRefusal(holder, gate.nowMs()) === null) return hash;
      if (holder !== null) replaced ??= hash;
    }
  } catch (error) {
    // The admission finds the database away, too, and says so.
    gate.log("debug", "key.not_looked_up", { why: error instanceof Error ? error.message : "" });
  }
  return replaced ?? first;
}
