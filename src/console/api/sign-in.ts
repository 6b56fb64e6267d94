import { isEmail } from "../../domain/account.ts";
import { StoreProblem } from "../../store/store.ts";
import { byOf } from "../control.ts";
import { demandGoodPassword } from "../sign-in/password-rules.ts";
import { addressOwner, forgive, throttle, throttleOf } from "../sign-in/throttle.ts";
import { demandPasswords } from "../sign-in/ways.ts";
import { demandSafePlace } from "./guard.ts";
import { ConsoleProblem } from "./problem.ts";
import { afterPassword, signedIn } from "./sign-in-answer.ts";
import type { Handler, Handlers } from "./visit.ts";

/**
 * Unknown, disabled, without a password and wrong look and last the same: each is looked up once and compares one
 * password.
 */
const signIn: Handler<"POST /sign-in"> = async (visit, { body }) => {
  const { desk, request, root } = visit;
  demandSafePlace(request, root);
  const email = body.email.trim().toLowerCase();
  const address = addressOwner(visit.address);
  const { person, isKnownAddress } = await desk.store.run("person.at_the_door", {
    email,
    address: visit.address,
  });
  const throttles = [throttleOf("sign-in pair", email, address), throttleOf("sign-in address", address)];
  // Strangers who try an e-mail from everywhere must not keep its holder out of their own house.
  if (!isKnownAddress) throttles.push(throttleOf("sign-in e-mail", email));
  await throttle(visit, ...throttles);
  const hash = person?.account.enabled === true ? person.profile.passwordHash : null;
  const isRight = await desk.passwords.verify(body.password, hash);
  if (!isRight || person === null) {
    throw new ConsoleProblem("wrong_sign_in", "This e-mail and password do not belong together here.");
  }
  await forgive(visit, ...throttles);
  demandPasswords(desk, person.account.role);
  return afterPassword(visit, person);
};

const register: Handler<"POST /register"> = async (visit, { body }) => {
  const { desk, request, root } = visit;
  const { registration, registrationBalance } = desk.settings();
  if (registration !== "open") {
    throw new ConsoleProblem(
      "not_allowed",
      "Accounts are made by invitation here; ask whoever runs it for a link.",
    );
  }
  demandPasswords(desk, "holder");
  demandSafePlace(request, root);
  const email = demandEmail(body.email);
  demandGoodPassword(body.password, { email });
  await throttle(visit, throttleOf("register", addressOwner(visit.address)));
  const passwordHash = await desk.passwords.hash(body.password);
  const { account } = await desk.store
    .run("person.register", {
      accountId: desk.newId("acc"),
      ledgerId: desk.newId("led"),
      email,
      passwordHash,
      language: body.language ?? null,
      openingBalance: registrationBalance,
      by: byOf(visit.control),
    })
    .catch((error: unknown) => {
      throw error instanceof StoreProblem ? emailTaken() : error;
    });
  return signedIn(visit, account.id);
};

/** Without a mail to prove it by, nobody can be told apart from the holder of that e-mail, so it says what is so. */
function emailTaken(): ConsoleProblem {
  const message =
    "There is an account with this e-mail already: sign in, or ask the operator for a reset link.";
  return new ConsoleProblem("conflict", message, { fields: [{ path: "email", message }] });
}

export function demandEmail(given: string): string {
  const email = given.trim().toLowerCase();
  if (isEmail(email)) return email;
  const message = "This is not an e-mail address such as ann@example.org.";
  throw new ConsoleProblem("invalid", message, { fields: [{ path: "email", message }] });
}

export const signInHandlers = {
  "POST /sign-in": signIn,
  "POST /register": register,
} satisfies Partial<Handlers>;
