import type { Config } from "../config.ts";
import type { Control } from "../console/control.ts";
import { linkUrl, type MadeLink, makeInvitation, makeResetLink } from "../console/sign-in/link.ts";
import type { LinkKind } from "../store/people.ts";
import { emailOf, roleOf } from "./account.ts";
import { readUsd } from "./amount.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { Failure } from "./problem.ts";
import { withSession } from "./session.ts";
import { timeText } from "./table.ts";

/** How people come into the console from the command line: by a link that works once. */
export const accountLinkCommands: readonly Command[] = [
  {
    name: "account invite",
    summary: "make a link by which somebody chooses a password and comes into the console",
    positionals: ["EMAIL"],
    options: {
      role: { value: "ROLE", meaning: "holder (as it is without this) or operator" },
      balance: { value: "USD", meaning: "opening balance, where there is no account yet" },
    },
    details:
      "The account is made when the link is used; one that is there already and has no password gets it by the link. The link works once, for seven days; a newer one for the same e-mail replaces it.",
    run: invite,
  },
  {
    name: "account reset",
    summary: "make a link by which somebody sets a new password",
    positionals: ["EMAIL"],
    options: { "two-factor": { meaning: "it ends two-factor too, for whoever has lost the device" } },
    details:
      "The link works once, for 24 hours. When it is used, the account is signed out everywhere else. Until then the old password works.",
    run: reset,
  },
];

async function invite(call: Call): Promise<number> {
  const email = emailOf(call);
  const given = call.text("role") === null ? null : roleOf(call);
  const balance = readUsd("--balance", call.text("balance") ?? "0");
  const { made, root } = await withSession(call, "create", async ({ control, store, config }) => {
    // Without a word about it, somebody who has an account is invited as what they are.
    const known = given === null ? await store.report("account", { email }) : null;
    const role = given ?? known?.role ?? "holder";
    return { root: rootOf(config, control), made: await makeInvitation(control, { email, role, balance }) };
  });
  return report(call, { root, kind: "invitation", made, sentence: `Give ${email} this link` });
}

async function reset(call: Call): Promise<number> {
  const email = emailOf(call);
  const endsTwoFactor = call.flag("two-factor");
  const { made, root } = await withSession(call, "refuse", async ({ control, store, config }) => {
    const known = await store.report("account", { email });
    const link = known === null ? null : await makeResetLink(control, { accountId: known.id, endsTwoFactor });
    return { root: rootOf(config, control), made: link };
  });
  if (made === null) throw new Failure(`There is no account ${email}.`);
  return report(call, { root, kind: "reset", made, sentence: `Give ${email} this link` });
}

type Told = { root: string; kind: LinkKind; made: MadeLink; sentence: string };

function report(call: Call, { root, kind, made, sentence }: Told): number {
  const { expiresAtMs, email, role } = made.ticket;
  const link = linkUrl(root, kind, made.token);
  if (call.json) {
    printJson(call, { email, role, link, expires_at: new Date(expiresAtMs).toISOString() });
    return EXIT_OK;
  }
  printLine(call, `${sentence}; it works once, until ${timeText(expiresAtMs)}, and is shown only now:`);
  printLine(call, "");
  printLine(call, call.paint.bold(link));
  return EXIT_OK;
}

/** As the server would tell it: its public address, or where it listens. */
function rootOf({ host, port }: Config, { settings }: Control): string {
  return settings().publicUrl ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
