import { LINK_KINDS, type LinkKind } from "../../store/people.ts";
import type { Ticket } from "../../store/tickets.ts";
import { byOf } from "../control.ts";
import { demandGoodPassword } from "../sign-in/password-rules.ts";
import { addressOwner, forgive, throttle, throttleOf } from "../sign-in/throttle.ts";
import { tokenHash } from "../sign-in/token.ts";
import { demandSafePlace } from "./guard.ts";
import { ConsoleProblem } from "./problem.ts";
import { demandEmail } from "./sign-in.ts";
import { afterPassword } from "./sign-in-answer.ts";
import type { Handler, Handlers, Visit } from "./visit.ts";

const look: Handler<"POST /links/look"> = async (visit, { body }) => {
  const { kind, email, role, expiresAtMs } = await demandLink(visit, body.token);
  return {
    kind: kind as LinkKind,
    email,
    role: role ?? "holder",
    expires_at: new Date(expiresAtMs).toISOString(),
  };
};

const use: Handler<"POST /links/use"> = async (visit, { body }) => {
  const { desk, request, root } = visit;
  demandSafePlace(request, root);
  const link = await demandLink(visit, body.token);
  const email = chosenEmail(link, body.email);
  demandGoodPassword(body.password, { email });
  const passwordHash = await desk.passwords.hash(body.password);
  const person = await desk.store.run("person.use_link", {
    hash: tokenHash(body.token),
    email,
    passwordHash,
    language: body.language ?? null,
    accountId: desk.newId("acc"),
    ledgerId: desk.newId("led"),
    by: byOf(visit.control),
  });
  if (person === null) throw noLink();
  return afterPassword(visit, person);
};

async function demandLink(visit: Visit, token: string): Promise<Ticket> {
  const { desk, nowMs } = visit;
  const guesses = throttleOf("link", addressOwner(visit.address));
  await throttle(visit, guesses);
  const link = await desk.store.run("ticket.look", { hash: tokenHash(token), kinds: LINK_KINDS, nowMs });
  if (link === null) throw noLink();
  await forgive(visit, guesses);
  return link;
}

/** Whose e-mail the link names, nobody chooses another for. */
function chosenEmail({ email }: Ticket, given: string | undefined): string {
  if (email === null) return demandEmail(given ?? "");
  if (given === undefined || given.trim().toLowerCase() === email) return email;
  const message = `This link is for ${email} alone.`;
  throw new ConsoleProblem("invalid", message, { fields: [{ path: "email", message }] });
}

function noLink(): ConsoleProblem {
  return new ConsoleProblem(
    "link_invalid",
    "This link does not work, or no longer: each works once and for a while. Ask whoever sent it for a new one.",
  );
}

export const linkHandlers = {
  "POST /links/look": look,
  "POST /links/use": use,
} satisfies Partial<Handlers>;
