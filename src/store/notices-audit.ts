import type { By, Recorded } from "./audit.ts";
import { notify, wantedBy } from "./notices.ts";
import { text } from "./rows.ts";
import type { Tx } from "./tx.ts";

/**
 * What a change of the house tells the outside. It is taken from the record itself, so that a change is told of whichever
 * way it was made: by console, token, command line or `apply`.
 */
export async function tellOfChanges(tx: Tx, by: By, changes: readonly Recorded[]): Promise<void> {
  for (const change of changes) {
    if (change.noun === "key") await tellOfKey(tx, by, change);
    else if (change.noun === "account") await tellOfOperator(tx, by, change);
  }
}

async function tellOfKey(tx: Tx, by: By, { id, action }: Recorded): Promise<void> {
  if (id === null || (action !== "create" && action !== "delete")) return;
  const event = action === "create" ? "key.created" : "key.deleted";
  if ((await wantedBy(tx, event)).length === 0) return;
  const [row] = await tx.all(
    `select keys.name as name, groups.name as group_name, accounts.id as account_id, accounts.email as email
      from keys join accounts on accounts.id = keys.account_id join groups on groups.id = keys.group_id
      where keys.id = ?`,
    id,
  );
  const data = {
    key: { id, name: text(row?.["name"]), group: text(row?.["group_name"]) },
    account: { id: text(row?.["account_id"]), email: text(row?.["email"]) },
    ...{ by: by.actor, through: by.through },
  };
  await notify(tx, { event, about: id, data, atMs: by.nowMs });
}

/** What weakens or strengthens somebody, and not what they may spend. */
const OF_SIGN_IN: ReadonlySet<string> = new Set([
  "enable",
  "disable",
  "sign out",
  "make reset link",
  "set password",
  "turn off two-factor",
  "renew recovery codes",
  "disconnect sign-in service",
]);

/** An operator hears of what another one has done to their account; the others, if they want to. */
async function tellOfOperator(tx: Tx, by: By, change: Recorded): Promise<void> {
  const { id, name: email, action, fields } = change;
  if (id === null || isThemselves(by, email)) return;
  const role = fields.find(([field]) => field === "role");
  const isOfRole = action === "update" && role !== undefined;
  if (!isOfRole && !OF_SIGN_IN.has(action)) return;
  if (!(role?.includes("operator") ?? (await isOperator(tx, id)))) return;
  const data = {
    operator: { id, email },
    action,
    fields: fields.map(([field, before, after]) => ({ field, before, after })),
    ...{ by: by.actor, through: by.through, address: by.address },
  };
  await notify(tx, { event: "operator.changed", about: id, data, atMs: by.nowMs, mailTo: email });
}

/** In person, or by a token of theirs. */
function isThemselves({ actor }: By, email: string): boolean {
  return actor === email || actor.startsWith(`${email} (`);
}

async function isOperator(tx: Tx, accountId: string): Promise<boolean> {
  const [row] = await tx.all("select role from accounts where id = ?", accountId);
  return text(row?.["role"]) === "operator";
}
