import type { Id } from "../domain/ids.ts";
import { type By, recordChange } from "./audit.ts";
import { accountEntry, SECRET_AFTER, SECRET_BEFORE } from "./audit-entries.ts";
import { readPerson, takeRecoveryCode, takeTotpStep, writeProfile } from "./profiles.ts";
import { StoreProblem } from "./store.ts";
import { useTicket as spendTicket } from "./tickets.ts";
import type { Tx } from "./tx.ts";

/** A code that was found right: by its step, or as one of the recovery codes by its hash. */
export type RightCode = { step: number } | { recoveryHash: string };

export type CodeUse = {
  accountId: Id<"acc">;
  code: RightCode;
  /** The half-done sign-in that it completes; null where somebody is signed in already. */
  ticketHash: string | null;
  nowMs: number;
};

/** `used`: the code was used before. `ticket`: the sign-in that it belongs to has run out or was completed. */
export type CodeOutcome = "good" | "used" | "ticket";

/** A code completes one sign-in, whoever races. A code that is not good leaves the ticket as it is. */
export async function spendCode(tx: Tx, use: CodeUse): Promise<CodeOutcome> {
  const { accountId, code, ticketHash, nowMs } = use;
  const person = await readPerson(tx, { id: accountId });
  if ((person?.profile.totp ?? null) === null) return "used";
  const isGood =
    "step" in code
      ? await takeTotpStep(tx, { accountId, step: code.step })
      : await takeRecoveryCode(tx, { accountId, hash: code.recoveryHash });
  if (!isGood) return "used";
  if (ticketHash === null) return "good";
  const ticket = await spendTicket(tx, { hash: ticketHash, kinds: ["second_factor"], nowMs });
  return ticket?.accountId === accountId ? "good" : "ticket";
}

export type TotpStart = {
  accountId: Id<"acc">;
  ticketHash: string;
  /** Sealed. */
  totp: Uint8Array;
  /** Of the first code, which is used up by this. */
  step: number;
  recoveryHashes: readonly string[];
  by: By;
};

/** Puts two-factor in force; false where the ticket has run out. */
export async function startTotp(tx: Tx, start: TotpStart): Promise<boolean> {
  const { accountId, ticketHash, totp, step, recoveryHashes, by } = start;
  const { nowMs } = by;
  const person = await readPerson(tx, { id: accountId });
  if ((person?.profile.totp ?? null) !== null) {
    throw new StoreProblem("Two-factor is on already. End it first to set up another authenticator app.");
  }
  const ticket = await spendTicket(tx, { hash: ticketHash, kinds: ["totp"], nowMs });
  if (ticket?.accountId !== accountId) return false;
  const change = { totp, totpStep: step, recoveryCodes: recoveryHashes };
  await writeProfile(tx, { accountId, change });
  await recordTwoFactor(tx, by, { accountId, isOn: true });
  return true;
}

type OfAccount = { accountId: Id<"acc">; by: By };

export async function endTotp(tx: Tx, { accountId, by }: OfAccount): Promise<void> {
  const person = await readPerson(tx, { id: accountId });
  if ((person?.profile.totp ?? null) === null) return;
  await writeProfile(tx, { accountId, change: { totp: null, totpStep: null, recoveryCodes: [] } });
  await recordTwoFactor(tx, by, { accountId, isOn: false });
}

async function recordTwoFactor(
  tx: Tx,
  by: By,
  { accountId, isOn }: { accountId: Id<"acc">; isOn: boolean },
): Promise<void> {
  const person = await readPerson(tx, { id: accountId });
  if (person === null) return;
  const action = isOn ? "turn on two-factor" : "turn off two-factor";
  const fields = [["two_factor", isOn ? "off" : "on", isOn ? "on" : "off"]] as const;
  await recordChange(tx, by, accountEntry(person.account, { action, fields }));
}

/** In place of those that there are; throws where two-factor is off. */
export async function renewRecoveryCodes(
  tx: Tx,
  { accountId, hashes, by }: OfAccount & { hashes: readonly string[] },
): Promise<void> {
  const person = await readPerson(tx, { id: accountId });
  if (person === null || person.profile.totp === null) {
    throw new StoreProblem(
      "Two-factor is off, so there is nothing to recover. Set up an authenticator app first.",
    );
  }
  await writeProfile(tx, { accountId, change: { recoveryCodes: hashes } });
  const fields = [["recovery_codes", SECRET_BEFORE, SECRET_AFTER]] as const;
  await recordChange(tx, by, accountEntry(person.account, { action: "renew recovery codes", fields }));
}
