import { FORGOT, linkUrl, makeForgotLink } from "../sign-in/link.ts";
import { addressOwner, throttle, throttleOf } from "../sign-in/throttle.ts";
import { ConsoleProblem } from "./problem.ts";
import type { Handler, Handlers, Visit } from "./visit.ts";

/** Answered before anybody is looked up: neither the answer nor its time says whether there is such an account. */
const forgot: Handler<"POST /sign-in/forgot"> = async (visit, { body }) => {
  const { desk } = visit;
  if (!desk.mail.isSet()) {
    throw new ConsoleProblem(
      "not_allowed",
      "This house sends no e-mail: ask whoever runs it for a link to set a new password.",
    );
  }
  const email = body.email.trim().toLowerCase();
  await throttle(
    visit,
    throttleOf("forgot address", addressOwner(visit.address)),
    throttleOf("forgot e-mail", email),
  );
  desk.mail.later(() => mailReset(visit, email));
  return { done: true };
};

async function mailReset({ desk, control, root }: Visit, email: string): Promise<void> {
  const person = await desk.store.run("person.read", { email });
  if (person === null || !person.account.enabled) return;
  const { id, role } = person.account;
  // Where passwords are off, those of operators still work.
  if (role !== "operator" && !desk.settings().passwordSignIn) return;
  const made = await makeForgotLink({ ...control, actor: FORGOT }, id);
  if (made === null) return;
  const { ticket, token } = made;
  const link = linkUrl(root, "reset", token);
  await desk.mail.send({ email }, { kind: "reset", link, by: null, untilMs: ticket.expiresAtMs });
}

export const forgotHandlers = { "POST /sign-in/forgot": forgot } satisfies Partial<Handlers>;
