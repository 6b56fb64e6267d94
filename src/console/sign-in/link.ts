import type { AccountRole } from "../../domain/account.ts";
import type { Id } from "../../domain/ids.ts";
import type { Nanos } from "../../domain/money.ts";
import type { LinkKind } from "../../store/people.ts";
import type { Ticket } from "../../store/tickets.ts";
import { byOf, type Control } from "../control.ts";
import { newToken } from "./token.ts";

const HOUR_MS = 3_600_000;
const LIFE_MS: Record<LinkKind, number> = {
  setup: 24 * HOUR_MS,
  invitation: 7 * 24 * HOUR_MS,
  reset: 24 * HOUR_MS,
};

/** The links that let people in. The token stands behind a `#`, so that no server and no proxy writes it into a log. */

export type MadeLink = { ticket: Ticket; token: string };

export function linkUrl(root: string, kind: LinkKind, token: string): string {
  return `${root}/console/${kind}#${token}`;
}

type Maker = Pick<
  Control,
  "store" | "newId" | "randomBytes" | "nowMs" | "actor" | "through" | "address" | "secrets"
>;

function draft(control: Maker, kind: LinkKind) {
  const { token, hash } = newToken(control.randomBytes);
  const nowMs = control.nowMs();
  const ticket = {
    id: control.newId("tkt"),
    hash,
    kind,
    accountId: null,
    email: null,
    role: null,
    payload: "{}",
    madeBy: control.actor,
    nowMs,
    expiresAtMs: nowMs + LIFE_MS[kind],
  };
  return { token, ticket };
}

/** Null where an operator can sign in already. The set-up link before this one works no longer. */
export async function renewSetupLink(control: Maker): Promise<{ token: string } | null> {
  const { token, ticket } = draft(control, "setup");
  const made = await control.store.run("setup.renew", { ...ticket, role: "operator" });
  return made === null ? null : { token };
}

export type InvitationForm = { email: string; role: AccountRole; balance: Nanos };

export async function makeInvitation(control: Maker, form: InvitationForm): Promise<MadeLink> {
  const { token, ticket } = draft(control, "invitation");
  const { email, role, balance } = form;
  const payload = JSON.stringify(balance > 0n ? { balance: String(balance) } : {});
  const invited = { ...ticket, email, role, payload, by: byOf(control) };
  return { token, ticket: await control.store.run("person.invite", invited) };
}

export type ResetForm = { accountId: Id<"acc">; endsTwoFactor: boolean };

/** Who makes a link for whoever has forgotten their password and asked for it on the sign-in page. */
export const FORGOT = "sign-in page";
const FORGOT_MS = HOUR_MS / 2;

/** For half an hour. It puts no other link out of use: anybody may ask for it in anybody's name. */
export async function makeForgotLink(control: Maker, accountId: Id<"acc">): Promise<MadeLink | null> {
  const { token, ticket } = draft({ ...control, actor: FORGOT }, "reset");
  const made = await control.store.run("person.reset", {
    ...{ ...ticket, accountId, expiresAtMs: ticket.nowMs + FORGOT_MS, replaces: "own" },
    by: { ...byOf(control), actor: FORGOT },
  });
  return made === null ? null : { token, ticket: made };
}

/** Null where there is no such account. */
export async function makeResetLink(control: Maker, form: ResetForm): Promise<MadeLink | null> {
  const { token, ticket } = draft(control, "reset");
  const { accountId, endsTwoFactor } = form;
  const payload = JSON.stringify(endsTwoFactor ? { endsTwoFactor } : {});
  const made = await control.store.run("person.reset", {
    ...{ ...ticket, accountId, payload },
    by: byOf(control),
  });
  return made === null ? null : { token, ticket: made };
}
