import type { Id } from "../domain/ids.ts";
import { keyHash } from "../domain/key-hash.ts";
import { generateOperatorToken, previewOperatorToken, type TokenScope } from "../domain/operator-token.ts";
import { StoreProblem } from "../store/store.ts";
import type { TokenHolder, TokenListing } from "../store/tokens.ts";
import { byOf, type Control } from "./control.ts";
import { nameProblem, trimmedName } from "./keys.ts";

export const TOKEN_DAYS_MAX = 366;
const DAY_MS = 86_400_000;
const SEEN_EVERY_MS = 60_000;

export type TokenForm = { email: string; name: string; scope: TokenScope; days: number };

/** Makes an operator token; its string is in the answer and nowhere else. */
export async function createToken(
  control: Control,
  form: TokenForm,
): Promise<{ token: TokenListing; string: string }> {
  const name = trimmedName(form.name);
  const problem = nameProblem(name);
  if (problem !== null) throw new StoreProblem(problem.replace("A key", "A token"), { field: "name" });
  const string = generateOperatorToken(control.randomBytes);
  const by = byOf(control);
  const token = await control.store.run("token.create", {
    id: control.newId("tok"),
    hash: tokenHash(control, string),
    email: form.email,
    name,
    preview: previewOperatorToken(string),
    scope: form.scope,
    expiresAtMs: by.nowMs + form.days * DAY_MS,
    by,
  });
  return { token, string };
}

/** Null where there is no such token. */
export function revokeToken(control: Control, id: Id<"tok">): Promise<TokenListing | null> {
  return control.store.run("token.revoke", { id, by: byOf(control) });
}

/** Null where no token has this string. That it was used is written at most once a minute. */
export async function presentedToken(
  control: Pick<Control, "store" | "secrets">,
  { string, nowMs }: { string: string; nowMs: number },
): Promise<TokenHolder | null> {
  const token = await control.store.run("token.read", { hash: tokenHash(control, string) });
  if (token !== null && nowMs - (token.lastUsedAtMs ?? 0) >= SEEN_EVERY_MS) {
    await control.store.run("token.see", { id: token.id, nowMs });
  }
  return token;
}

/** An HMAC under a pepper that is not in the database; its beginning keeps a token from ever being a key. */
function tokenHash({ secrets }: Pick<Control, "secrets">, string: string): string {
  return keyHash(secrets.lookup, string);
}
