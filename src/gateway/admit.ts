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

/** Counts a decision. That the database could not make it is a breakdown, whatever the client hears. */
export function noteDecision(
  admission: Admission,
  { pending, call }: { pending: PendingAdmission; call: Call },
  { metrics, log }: Gate,
): void {
  const failure = admission.admitted ? undefined : admission.failure;
  const outcome = admission.admitted ? "admitted" : failure === undefined ? "refused" : "failed";
  metrics.decided(outcome, performance.now() - pending.askedTick);
  if (failure !== undefined) log("error", "store.unavailable", { request: call.id, why: failure });
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
