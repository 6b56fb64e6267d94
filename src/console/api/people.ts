import { isId } from "../../domain/ids.ts";
import { formatUsd, parseUsd } from "../../domain/money.ts";
import type { Ticket } from "../../store/tickets.ts";
import { byOf } from "../control.ts";
import { linkUrl, makeInvitation, makeResetLink } from "../sign-in/link.ts";
import { mailLink } from "./people-mail.ts";
import { ConsoleProblem } from "./problem.ts";
import { demandEmail } from "./sign-in.ts";
import type { Handler, Handlers } from "./visit.ts";

const list: Handler<"GET /operator/accounts"> = async ({ desk }) => {
  const people = await desk.store.report("people", {});
  return {
    accounts: people.map(({ id, email, role, enabled, balance, createdAtMs, lastSeenAtMs }) => ({
      id,
      email,
      role,
      enabled,
      balance_usd: formatUsd(balance),
      created_at: time(createdAtMs),
      last_seen_at: lastSeenAtMs === null ? null : time(lastSeenAtMs),
    })),
  };
};

const invitations: Handler<"GET /operator/invitations"> = async ({ desk, nowMs }) => {
  const tickets = await desk.store.run("ticket.list", { kind: "invitation", nowMs });
  return { invitations: tickets.map(invitationView) };
};

const invite: Handler<"POST /operator/invitations"> = async (visit, { body }) => {
  const { control, root } = visit;
  const email = demandEmail(body.email);
  const balance = parseUsd(body.balance_usd ?? "0") ?? 0n;
  const { ticket, token } = await makeInvitation(control, { email, role: body.role, balance });
  const link = linkUrl(root, "invitation", token);
  const mail = body.send_mail === true ? await mailLink(visit, { ticket, link, kind: "invitation" }) : null;
  return { invitation: invitationView(ticket), link, mail };
};

const takeBack: Handler<"DELETE /operator/invitations/{id}"> = async ({ desk, control }, { params }) => {
  const isEnded = await desk.store.run("person.take_back", { id: params.id, by: byOf(control) });
  if (!isEnded) throw new ConsoleProblem("not_found", "There is no such invitation, or no longer.");
  return { done: true };
};

const reset: Handler<"POST /operator/accounts/{id}/reset"> = async (visit, { params, body }) => {
  const { control, root } = visit;
  const { id } = params;
  const made = isId("acc", id) ? await makeResetLink(control, { accountId: id, endsTwoFactor: false }) : null;
  if (made === null) throw new ConsoleProblem("not_found", "There is no such account.");
  const { ticket, token } = made;
  const link = linkUrl(root, "reset", token);
  const mail = body.send_mail === true ? await mailLink(visit, { ticket, link, kind: "reset" }) : null;
  return { link, expires_at: time(ticket.expiresAtMs), mail };
};

function invitationView({ id, email, role, madeBy, createdAtMs, expiresAtMs }: Ticket) {
  return {
    id,
    email: email ?? "",
    role: role ?? "holder",
    by: madeBy,
    created_at: time(createdAtMs),
    expires_at: time(expiresAtMs),
  };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}

export const peopleHandlers = {
  "GET /operator/accounts": list,
  "GET /operator/invitations": invitations,
  "POST /operator/invitations": invite,
  "DELETE /operator/invitations/{id}": takeBack,
  "POST /operator/accounts/{id}/reset": reset,
} satisfies Partial<Handlers>;
