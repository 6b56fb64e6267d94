import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import { done, email, instant, role, usd, usdGiven } from "./form.ts";

export const person = z.strictObject({
  id: z.string(),
  email: z.string(),
  role,
  enabled: z.boolean(),
  balance_usd: usd,
  created_at: instant,
  /** Null: has never been here. */
  last_seen_at: instant.nullable(),
});

export const invitation = z.strictObject({
  id: z.string(),
  email: z.string(),
  role,
  by: z.string(),
  created_at: instant,
  expires_at: instant,
});

/** Null where no mail was asked for; a problem says what to change, and the link is good all the same. */
export const mailed = z.strictObject({ sent: z.boolean(), problem: z.string().nullable() }).nullable();

/** Whether the link goes out by e-mail, too. */
const sendMail = z.boolean().optional();

export const peopleEndpoints = {
  "GET /operator/accounts": {
    access: "operator",
    summary: "Every account",
    answer: z.strictObject({ accounts: z.array(person) }),
  },
  "GET /operator/invitations": {
    access: "operator",
    summary: "Invitations that nobody has used yet",
    answer: z.strictObject({ invitations: z.array(invitation) }),
  },
  "POST /operator/invitations": {
    access: "operator-recent",
    summary: "Invites somebody: the link is in this answer, and in a mail where one is asked for",
    body: z.strictObject({ email, role, balance_usd: usdGiven.optional(), send_mail: sendMail }),
    answer: z.strictObject({ invitation, link: z.string(), mail: mailed }),
  },
  "DELETE /operator/invitations/{id}": {
    access: "operator",
    summary: "Takes an invitation back",
    answer: done,
  },
  "POST /operator/accounts/{id}/reset": {
    access: "operator-recent",
    summary: "Makes a link by which somebody sets a new password",
    body: z.strictObject({ send_mail: sendMail }),
    answer: z.strictObject({ link: z.string(), expires_at: instant, mail: mailed }),
  },
} as const satisfies Record<string, Endpoint>;
