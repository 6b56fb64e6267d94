import type { z } from "zod";
import type { Ticket } from "../../store/tickets.ts";
import type { mailed } from "../contract/people.ts";
import type { SignedIn } from "./visit.ts";

type Mailed = z.output<typeof mailed>;
type LinkMail = { kind: "invitation" | "reset"; ticket: Ticket; link: string };

/** Whoever has no account yet is written to in the language of whoever invites them, if the house has none. */
export async function mailLink(
  { desk, visitor }: SignedIn,
  { kind, ticket, link }: LinkMail,
): Promise<Mailed> {
  const operator = await desk.store.run("person.read", { id: visitor.id });
  const to = { email: ticket.email ?? "", language: operator?.profile.language ?? null };
  const mail = { kind, link, by: visitor.email, untilMs: ticket.expiresAtMs };
  const problem = await desk.mail.send(to, mail);
  return { sent: problem === null, problem: problem?.sentence ?? null };
}
