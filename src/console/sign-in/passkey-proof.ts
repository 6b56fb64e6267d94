import type { Id } from "../../domain/ids.ts";
import type { Passkey } from "../../store/passkeys.ts";
import { ConsoleProblem } from "../api/problem.ts";
import type { Visit } from "../api/visit.ts";
import {
  checkAssertion,
  credentialIdOf,
  newChallenge,
  type Party,
  partyOf,
  requestOptions,
} from "./passkey.ts";
import { addressOwner, throttle, throttleOf } from "./throttle.ts";
import { beginStep, findStep } from "./ticket.ts";

type Kind = "passkey_sign_in" | "passkey_confirm";

/** What the browser asks the authenticator with; without an account, whoever holds a passkey of this house. */
export async function askForPasskey(
  visit: Visit,
  asked: { kind: Kind; accountId: Id<"acc"> | null; kept?: readonly Passkey[] },
) {
  const { kind, accountId, kept = [] } = asked;
  await throttle(visit, throttleOf("passkey", addressOwner(visit.address)));
  const party = partyAt(visit);
  const challenge = newChallenge(visit.desk.randomBytes);
  const options = await requestOptions(party, { challenge, kept });
  const ticket = await beginStep(visit, { kind, accountId, payload: { challenge } });
  return { ticket, options: { ...options } };
}

export type PasskeyProof = { kind: Kind; ticket: string; response: Record<string, unknown> };

/** Whose passkey it is, once it is proved; the challenge is used up. */
export async function provePasskey(visit: Visit, proof: PasskeyProof): Promise<Id<"acc">> {
  const { desk, address, nowMs } = visit;
  await throttle(visit, throttleOf("passkey", addressOwner(address)));
  const party = partyAt(visit);
  const { kind, response } = proof;
  const step = await findStep(visit, { token: proof.ticket, kind });
  const challenge = step?.payload["challenge"];
  if (step === null || typeof challenge !== "string") throw tooLate();
  const found = await desk.store.run("passkey.find", { credentialId: credentialIdOf(response) });
  if (found === null || !found.person.account.enabled) throw notProved();
  const { passkey } = found;
  const counter = await checkAssertion(party, { challenge, response, passkey });
  if (counter === null) throw notProved();
  const { credentialId } = passkey;
  const use = { credentialId, counter, ticketHash: step.hash, ticketKind: kind, nowMs };
  const outcome = await desk.store.run("passkey.prove", use);
  if (outcome === "ticket") throw tooLate();
  if (outcome === "copied") desk.log("warn", "console.passkey_copied", { passkey: passkey.id });
  if (outcome !== "good") throw notProved();
  return passkey.accountId;
}

export function partyAt({ root, desk }: Visit): Party {
  return partyOf(root, desk.settings().name);
}

function tooLate(): ConsoleProblem {
  return new ConsoleProblem(
    "link_invalid",
    "This took too long, or was done already. Try the passkey again.",
  );
}

function notProved(): ConsoleProblem {
  return new ConsoleProblem(
    "wrong_sign_in",
    "This passkey does not open an account here. Try another one, or sign in another way.",
  );
}
