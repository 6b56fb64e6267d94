import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import { done, email, instant, language, password, role, token, webAuthn } from "./form.ts";

/** What a sign-in leads to: a session cookie, or one more proof. */
export const signInStep = z.discriminatedUnion("next", [
  z.strictObject({ next: z.literal("done") }),
  z.strictObject({
    next: z.literal("second_factor"),
    /** Good once, for five minutes. */
    ticket: token,
  }),
]);

export const session = z.strictObject({
  account: z.strictObject({
    id: z.string(),
    email: z.string(),
    name: z.string(),
    role,
    language: language.nullable(),
    theme: z.enum(["system", "light", "dark"]),
    balance_usd: z.string(),
    /** Below the threshold that the holder chose. */
    balance_is_low: z.boolean(),
  }),
  signed_in_at: instant,
  /** Until then nothing is asked again. */
  recent_until: instant,
  expires_at: instant,
  /** What this account can prove itself with. */
  proofs: z.array(z.enum(["password", "totp", "passkey", "oidc"])),
});

export const sessionRow = z.strictObject({
  id: z.string(),
  is_this: z.boolean(),
  signed_in_at: instant,
  seen_at: instant,
  address: z.string(),
  /** As far as it can be told, such as “Chrome on Linux”. */
  agent: z.string(),
});

export const link = z.strictObject({
  kind: z.enum(["setup", "invitation", "reset"]),
  /** Null: whoever uses the link chooses it. */
  email: z.string().nullable(),
  role,
  expires_at: instant,
});

const proof = z.strictObject({
  /** The password and, where two-factor is on, a code too; or a passkey alone. */
  password: password.optional(),
  code: z.string().min(6).max(32).optional(),
  passkey: z.strictObject({ ticket: token, response: webAuthn }).optional(),
});

const passkeyOptions = z.strictObject({ ticket: token, options: webAuthn });

export const signInEndpoints = {
  "POST /sign-in": {
    access: "open",
    summary: "Signs in by e-mail and password; the answer is the same for unknown and wrong",
    body: z.strictObject({ email, password }),
    answer: signInStep,
  },
  "POST /sign-in/second-factor": {
    access: "open",
    summary: "The second step: a code of the authenticator app, or a recovery code",
    body: z.strictObject({ ticket: token, code: z.string().min(6).max(32) }),
    answer: signInStep,
  },
  "POST /sign-in/passkey/options": {
    access: "open",
    summary: "What the browser needs to ask for a passkey",
    body: z.strictObject({}),
    answer: passkeyOptions,
  },
  "POST /sign-in/passkey": {
    access: "open",
    summary: "Signs in by passkey",
    body: z.strictObject({ ticket: token, response: webAuthn }),
    answer: signInStep,
  },
  "GET /sign-in/oidc": {
    access: "open",
    summary: "Sends the browser to the house's sign-in service",
    query: z.strictObject({
      /** Where in the console to go afterwards, such as `/usage`. */
      return: z.string().max(1024).optional(),
    }),
    answer: null,
  },
  "GET /sign-in/oidc/callback": {
    access: "open",
    summary: "Where the sign-in service sends it back",
    answer: null,
  },
  "POST /register": {
    access: "open",
    summary: "Makes an account, where the operator allows it, and signs in",
    body: z.strictObject({ email, password, language: language.optional() }),
    answer: signInStep,
  },
  "POST /sign-in/forgot": {
    access: "open",
    summary: "Mails a link for a new password, where there is such an account; the answer is always the same",
    body: z.strictObject({ email }),
    answer: done,
  },
  "POST /links/look": {
    access: "open",
    summary: "What a set-up, invitation or reset link is for; it stays unused",
    body: z.strictObject({ token }),
    answer: link,
  },
  "POST /links/use": {
    access: "open",
    summary: "Uses a link, once: sets the password and signs in",
    body: z.strictObject({ token, email: email.optional(), password, language: language.optional() }),
    answer: signInStep,
  },
  "GET /session": { access: "session", summary: "Who is signed in", answer: session },
  "DELETE /session": { access: "session", summary: "Signs out", answer: done },
  "POST /session/passkey/options": {
    access: "session",
    summary: "What the browser needs to prove a passkey again",
    body: z.strictObject({}),
    answer: passkeyOptions,
  },
  "POST /session/confirm": {
    access: "session",
    summary: "Proves again who is there, before secrets: by password, code or passkey",
    body: proof,
    answer: session,
  },
  "GET /sessions": {
    access: "session",
    summary: "Every place where this account is signed in",
    answer: z.strictObject({ sessions: z.array(sessionRow) }),
  },
  "DELETE /sessions": { access: "session", summary: "Signs out everywhere but here", answer: done },
  "DELETE /sessions/{id}": { access: "session", summary: "Signs out one place", answer: done },
} as const satisfies Record<string, Endpoint>;
