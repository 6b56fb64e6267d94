import type { Id } from "../../domain/ids.ts";
import type { Profile } from "../../store/profiles.ts";
import type { RightCode } from "../../store/second-factor.ts";
import { ConsoleProblem } from "../api/problem.ts";
import type { Visit } from "../api/visit.ts";
import { readRecoveryCode, recoveryHash } from "./recovery-codes.ts";
import { addressOwner, forgive, throttle, throttleOf } from "./throttle.ts";
import { openTotp, readTotpCode, totpStep } from "./totp.ts";

/** The code that is asked for after the first proof: of the authenticator app, or one of the recovery codes. */

export type CodeProof = {
  accountId: Id<"acc">;
  code: string;
  /** The half-done sign-in that it completes. */
  ticketHash: string | null;
};

/** Uses the code up, or refuses. Guesses are counted by account: whoever is here has proved the first factor. */
export async function proveCode(visit: Visit, proof: CodeProof): Promise<void> {
  const { desk, address, nowMs } = visit;
  const { accountId, ticketHash } = proof;
  const throttles = [
    throttleOf("second factor", accountId),
    throttleOf("second factor address", addressOwner(address)),
  ];
  await throttle(visit, ...throttles);
  const person = await desk.store.run("person.read", { id: accountId });
  const isHere = person?.account.enabled === true;
  const code = isHere ? await rightCode(visit, person.profile, proof) : null;
  if (code === null) throw wrongCode();
  const outcome = await desk.store.run("code.spend", { accountId, code, ticketHash, nowMs });
  if (outcome === "used") throw wrongCode();
  if (outcome === "ticket") throw stepIsOver();
  await forgive(visit, ...throttles);
}

async function rightCode(
  { desk, nowMs }: Visit,
  profile: Profile,
  { accountId, code }: CodeProof,
): Promise<RightCode | null> {
  if (profile.totp === null) return null;
  const digits = readTotpCode(code);
  if (digits === null) {
    const recovery = readRecoveryCode(code);
    if (recovery === null) return null;
    const hash = recoveryHash(recovery, { pepper: desk.secrets.codes, accountId });
    return profile.recoveryCodes.includes(hash) ? { recoveryHash: hash } : null;
  }
  const secret = openTotp(profile.totp, { key: desk.secrets.seal, accountId });
  if (secret === null) throw new Error("an authenticator secret that was sealed under another master secret");
  const step = await totpStep(digits, { secret, nowMs, lastStep: profile.totpStep });
  return step === null ? null : { step };
}

export function wrongCode(): ConsoleProblem {
  return new ConsoleProblem(
    "wrong_sign_in",
    "This code is wrong or was used before. Take the one that the app shows now, or a recovery code that is not used yet.",
  );
}

export function stepIsOver(): ConsoleProblem {
  return new ConsoleProblem(
    "link_invalid",
    "This sign-in took too long or was completed already. Sign in again.",
  );
}
