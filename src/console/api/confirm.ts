import type { Calls } from "../contract/contract.ts";
import { provePasskey } from "../sign-in/passkey-proof.ts";
import { proveCode } from "../sign-in/second-factor.ts";
import { forgive, throttle, throttleOf } from "../sign-in/throttle.ts";
import { ConsoleProblem } from "./problem.ts";
import { sessionView } from "./sessions.ts";
import type { Handlers, SignedIn } from "./visit.ts";

type Proof = Calls["POST /session/confirm"]["body"];

export const confirmHandlers = {
  "POST /session/confirm": async (visit, { body }) => {
    const { desk, visitor, nowMs } = visit;
    if (body.passkey === undefined) await confirmByTyping(visit, body);
    else if ((await provePasskey(visit, { kind: "passkey_confirm", ...body.passkey })) !== visitor.id) {
      throw new ConsoleProblem("wrong_sign_in", "This passkey is of another account.");
    }
    if (visitor.sessionId !== null) await desk.store.run("session.prove", { id: visitor.sessionId, nowMs });
    return sessionView(visit);
  },
} satisfies Pick<Handlers, "POST /session/confirm">;

/** Everything that signing in would ask for: the password, and the code too where two-factor is on. */
async function confirmByTyping(visit: SignedIn, { password, code }: Proof): Promise<void> {
  const { desk, visitor } = visit;
  const accountId = visitor.id;
  const person = await desk.store.run("person.read", { id: accountId });
  const hash = person?.profile.passwordHash ?? null;
  const hasTotp = (person?.profile.totp ?? null) !== null;
  if (hash === null && !hasTotp) {
    throw new ConsoleProblem(
      "conflict",
      "This account has no password. Confirm by a passkey or by the sign-in service, or set a password after that.",
    );
  }
  if (hash !== null && password === undefined) throw missing("password", "Enter your password.");
  if (hasTotp && code === undefined) {
    throw missing("code", "Enter a code of your authenticator app, or a recovery code.");
  }
  if (hash !== null) {
    const tries = throttleOf("confirm", accountId);
    await throttle(visit, tries);
    if (!(await desk.passwords.verify(password ?? "", hash))) {
      throw new ConsoleProblem("wrong_sign_in", "This is not the password of this account.");
    }
    await forgive(visit, tries);
  }
  if (hasTotp) await proveCode(visit, { accountId, code: code ?? "", ticketHash: null });
}

function missing(path: string, message: string): ConsoleProblem {
  return new ConsoleProblem("invalid", message, { fields: [{ path, message }] });
}
