import { stringRefusal } from "../domain/decide.ts";
import { refusal } from "../domain/errors.ts";
import type { KeyHolder } from "../store/keys.ts";
import { knownHash, undecided } from "./admit.ts";
import { authenticate } from "./authenticate.ts";
import type { Call } from "./call.ts";
import type { Gate } from "./gate.ts";
import { refuse } from "./refuse.ts";

/** Whose key this is, for the paths that cost nothing and write nothing. */
export async function identify(call: Call, gate: Gate): Promise<KeyHolder | Response> {
  const presented = authenticate(call.http.headers, gate.lookupKey);
  if ("refusal" in presented) return refuse(call, presented.refusal, gate);
  try {
    const hash = "hash" in presented ? presented.hash : await knownHash(presented.hashes, gate);
    const holder = hash === undefined ? null : await gate.store.run("key.holder", { hash });
    if (holder === null) return refuse(call, refusal("key_unknown"), gate);
    // A string that was replaced is told so much and no more: a disabled key says what it is, a dead string does not.
    const refused = stringRefusal(holder, gate.nowMs());
    return refused === null ? holder : refuse(call, refused, gate);
  } catch (error) {
    return refuse(call, undecided(call, error, gate), gate);
  }
}
