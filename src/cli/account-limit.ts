import { byOf } from "../console/control.ts";
import { isEmail } from "../domain/account.ts";
import { hasNoLimits } from "../domain/limits.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { LIMIT_OPTIONS, limitsJson, limitsText, readLimits } from "./limits.ts";
import { UsageProblem } from "./problem.ts";
import { withSession } from "./session.ts";

export const accountLimitCommand: Command = {
  name: "account limit",
  summary: "set the limits of an account, for all its keys together",
  positionals: ["EMAIL"],
  options: LIMIT_OPTIONS,
  details:
    "It sets all of them: a limit that is not given is off from now on, and without any the account has none.",
  run: limit,
};

async function limit(call: Call): Promise<number> {
  const email = call.positionals[0] ?? "";
  if (!isEmail(email)) throw new UsageProblem(`“${email}” is not an e-mail address such as ann@example.org.`);
  const limits = readLimits(call);
  const account = await withSession(call, "refuse", ({ store, control }) =>
    store.run("account.limit", { email, limits, by: byOf(control) }),
  );
  if (call.json) printJson(call, { id: account.id, email: account.email, ...limitsJson(account) });
  else if (hasNoLimits(account)) printLine(call, `The account ${account.email} has no limits now.`);
  else printLine(call, `The limits of ${account.email} for all its keys together: ${limitsText(account)}.`);
  return EXIT_OK;
}
