import { byOf } from "../control.ts";
import { newRecoveryCodes, recoveryHash } from "../sign-in/recovery-codes.ts";
import { forgive, throttle, throttleOf } from "../sign-in/throttle.ts";
import { beginStep, findStep } from "../sign-in/ticket.ts";
import { newTotpSecret, openTotp, readTotpCode, sealTotp, totpStep, totpUri } from "../sign-in/totp.ts";
import { ConsoleProblem } from "./problem.ts";
import type { Handlers, SignedIn } from "./visit.ts";

/** To find the app and to scan the picture takes longer than to type a code. */
const SET_UP_MS = 900_000;

export const accountTotpHandlers = {
  "POST /account/totp": async visit => {
    const { desk, visitor } = visit;
    const person = await desk.store.run("person.read", { id: visitor.id });
    if ((person?.profile.totp ?? null) !== null) throw isOn();
    const secret = newTotpSecret(desk.randomBytes);
    const sealed = sealTotp(secret, sealing(visit));
    const payload = { sealed: Buffer.from(sealed).toString("base64url") };
    const ticket = await beginStep(visit, { kind: "totp", accountId: visitor.id, payload, msMax: SET_UP_MS });
    const uri = await totpUri(secret, { house: houseName(visit), email: visitor.email });
    return { ticket, secret, uri };
  },

  "POST /account/totp/confirm": async (visit, { body }) => {
    const { desk, visitor, nowMs } = visit;
    const accountId = visitor.id;
    const tries = throttleOf("second factor", accountId);
    await throttle(visit, tries);
    const found = await findStep(visit, { token: body.ticket, kind: "totp" });
    const sealed = found?.payload["sealed"];
    if (found === null || found.accountId !== accountId || typeof sealed !== "string") throw tooLate();
    const totp = new Uint8Array(Buffer.from(sealed, "base64url"));
    const secret = openTotp(totp, sealing(visit));
    if (secret === null) throw tooLate();
    const digits = readTotpCode(body.code);
    const step = digits === null ? null : await totpStep(digits, { secret, nowMs, lastStep: null });
    if (step === null) throw wrongFirstCode();
    const { codes, hashes: recoveryHashes } = freshCodes(visit);
    const start = { accountId, ticketHash: found.hash, totp, step, recoveryHashes, by: byOf(visit.control) };
    if (!(await desk.store.run("totp.start", start))) throw tooLate();
    await forgive(visit, tries);
    return { recovery_codes: codes };
  },

  "DELETE /account/totp": async ({ desk, visitor, control }) => {
    await desk.store.run("totp.end", { accountId: visitor.id, by: byOf(control) });
    return { done: true };
  },

  "POST /account/totp/recovery-codes": async visit => {
    const { codes, hashes } = freshCodes(visit);
    const change = { accountId: visit.visitor.id, hashes, by: byOf(visit.control) };
    await visit.desk.store.run("totp.recovery_codes", change);
    return { recovery_codes: codes };
  },
} satisfies Pick<
  Handlers,
  | "POST /account/totp"
  | "POST /account/totp/confirm"
  | "DELETE /account/totp"
  | "POST /account/totp/recovery-codes"
>;

function freshCodes({ desk, visitor }: SignedIn): { codes: string[]; hashes: string[] } {
  const codes = newRecoveryCodes(desk.randomBytes);
  const bound = { pepper: desk.secrets.codes, accountId: visitor.id };
  return { codes, hashes: codes.map(code => recoveryHash(code, bound)) };
}

function sealing({ desk, visitor }: SignedIn) {
  return { key: desk.secrets.seal, accountId: visitor.id };
}

/** What the app lists it under. */
function houseName({ desk, root }: SignedIn): string {
  return `${desk.settings().name} (${new URL(root).host})`;
}

function isOn(): ConsoleProblem {
  return new ConsoleProblem(
    "conflict",
    "Two-factor is on already. End it first to set up another authenticator app.",
  );
}

function tooLate(): ConsoleProblem {
  return new ConsoleProblem("link_invalid", "This took too long. Begin the set-up of the app again.");
}

function wrongFirstCode(): ConsoleProblem {
  const message =
    "This is not the code of this app at this moment. Check that the phone's time is set automatically, and take the code that is shown now.";
  return new ConsoleProblem("invalid", message, { fields: [{ path: "code", message }] });
}
