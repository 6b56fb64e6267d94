import { byOf } from "../control.ts";
import { checkCreation, creationOptions, newChallenge } from "../sign-in/passkey.ts";
import { askForPasskey, partyAt, provePasskey } from "../sign-in/passkey-proof.ts";
import { shownName } from "../sign-in/shown-name.ts";
import { beginStep, findStep } from "../sign-in/ticket.ts";
import { demandPasskeys } from "../sign-in/ways.ts";
import { ConsoleProblem } from "./problem.ts";
import { signedIn } from "./sign-in-answer.ts";
import type { Handlers } from "./visit.ts";

export const passkeyHandlers = {
  "POST /sign-in/passkey/options": async visit => {
    demandPasskeys(visit.desk);
    return askForPasskey(visit, { kind: "passkey_sign_in", accountId: null });
  },

  // Whoever holds it was checked by the authenticator: that is two factors already.
  "POST /sign-in/passkey": async (visit, { body }) => {
    demandPasskeys(visit.desk);
    const accountId = await provePasskey(visit, { kind: "passkey_sign_in", ...body });
    return signedIn(visit, accountId);
  },

  "POST /session/passkey/options": async visit => {
    const accountId = visit.visitor.id;
    const kept = await visit.desk.store.run("passkey.list", { accountId });
    if (kept.length === 0) {
      throw new ConsoleProblem("conflict", "This account has no passkey; confirm it another way.");
    }
    return askForPasskey(visit, { kind: "passkey_confirm", accountId, kept });
  },

  "POST /account/passkeys/options": async visit => {
    const { desk, visitor } = visit;
    demandPasskeys(desk);
    const party = partyAt(visit);
    const accountId = visitor.id;
    const [person, kept] = await Promise.all([
      desk.store.run("person.read", { id: accountId }),
      desk.store.run("passkey.list", { accountId }),
    ]);
    const challenge = newChallenge(desk.randomBytes);
    const holder = { id: accountId, email: visitor.email, name: person?.profile.name ?? "" };
    const options = await creationOptions(party, { challenge, holder, kept });
    const ticket = await beginStep(visit, { kind: "passkey_add", accountId, payload: { challenge } });
    return { ticket, options: { ...options } };
  },

  "POST /account/passkeys": async (visit, { body }) => {
    const { desk, visitor } = visit;
    demandPasskeys(desk);
    const party = partyAt(visit);
    const name = shownName(body.name, { what: "The passkey's name", path: "name" });
    const step = await findStep(visit, { token: body.ticket, kind: "passkey_add" });
    const challenge = step?.payload["challenge"];
    if (step?.accountId !== visitor.id || typeof challenge !== "string") throw tooLate();
    const made = await checkCreation(party, { challenge, response: body.response });
    if (made === null) throw notKept();
    const accountId = visitor.id;
    const by = byOf(visit.control);
    const kept = { ...made, id: desk.newId("pkey"), accountId, name, ticketHash: step.hash, by };
    if (!(await desk.store.run("passkey.add", kept))) throw tooLate();
    return { done: true };
  },

  "DELETE /account/passkeys/{id}": async ({ desk, visitor, control }, { params }) => {
    const change = { id: params.id, accountId: visitor.id, by: byOf(control) };
    const isGone = await desk.store.run("passkey.remove", change);
    if (!isGone) throw new ConsoleProblem("not_found", "There is no passkey with this id.");
    return { done: true };
  },
} satisfies Pick<
  Handlers,
  | "POST /sign-in/passkey/options"
  | "POST /sign-in/passkey"
  | "POST /session/passkey/options"
  | "POST /account/passkeys/options"
  | "POST /account/passkeys"
  | "DELETE /account/passkeys/{id}"
>;

function tooLate(): ConsoleProblem {
  return new ConsoleProblem(
    "link_invalid",
    "This took too long, or was done already. Add the passkey again.",
  );
}

function notKept(): ConsoleProblem {
  return new ConsoleProblem(
    "invalid",
    "What the browser sent does not prove a new passkey with its holder checked. Try again, or take another authenticator.",
    { fields: [{ path: "response", message: "does not prove a new passkey" }] },
  );
}
