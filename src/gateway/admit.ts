import type { Ask } from "../domain/decide.ts";
import { refusal } from "../domain/errors.ts";
import type { Admission } from "../store/store.ts";
import type { Call } from "./call.ts";
import type { Gate } from "./gate.ts";

export type Admit = { call: Call; hashes: readonly string[]; ask: Ask; stream: boolean };
export type AdmitResult = { admission: Admission; durable: Promise<void> };

const TOOL_CHARACTERS_MAX = 200;

/** Asks the store, which decides everything that must be true now and writes the hold. */
export async function admit({ call, hashes, ask, stream }: Admit, gate: Gate): Promise<AdmitResult> {
  try {
    const keyHash = hashes.length === 1 ? hashes[0] : await knownHash(hashes, gate);
    const pending = gate.store.admit({
      id: call.id,
      keyHash: keyHash ?? "",
      startedAtMs: call.startedAtMs,
      dialect: call.dialect,
      stream,
      tool: (call.http.headers.get("user-agent") ?? "").slice(0, TOOL_CHARACTERS_MAX),
      address: gate.clientAddress(call.http),
      ask,
    });
    return { admission: await pending.decided, durable: pending.durable };
  } catch (error) {
    gate.log("error", "store.unavailable", {
      request: call.id,
      why: error instanceof Error ? error.message : "",
    });
    const refused = { admitted: false, refusal: refusal("store_unavailable"), recorded: false } as const;
    return { admission: refused, durable: Promise.resolve() };
  }
}

/** Of several custom strings that one request carried, the one that is a key here. */
export async function knownHash(hashes: readonly string[], gate: Gate): Promise<string | undefined> {
  for (const hash of hashes) {
    if ((await gate.store.run("key.holder", { hash })) !== null) return hash;
  }
  return hashes[0];
}
