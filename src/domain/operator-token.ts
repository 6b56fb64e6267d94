import { generateKeyString, KEY_LENGTH, KEY_PREFIX } from "./key-string.ts";

/** `wgo_` + 43 base62 characters + 6 base62 digits of the CRC-32 of what stands before: a key's form, told apart by its beginning. */
export const TOKEN_PREFIX = "wgo_";
const CHECK_LENGTH = 6;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const FORM = /^wgo_[A-Za-z0-9]{49}$/;

/** `read` for what changes nothing, `write` for all that needs no recent sign-in, `write-all` for that too. */
export const TOKEN_SCOPES = ["read", "write", "write-all"] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

export function generateOperatorToken(randomBytes: (count: number) => Uint8Array): string {
  const chance = generateKeyString(randomBytes).slice(KEY_PREFIX.length, KEY_LENGTH - CHECK_LENGTH);
  const body = TOKEN_PREFIX + chance;
  return body + checkOf(body);
}

/** What may be shown of a token: never enough to guess the rest. */
export function previewOperatorToken(token: string): string {
  return `${token.slice(0, TOKEN_PREFIX.length + 2)}…${token.slice(-4)}`;
}

/** Null where it is whole; otherwise a clause that a person can act on and that repeats none of it. */
export function operatorTokenProblem(presented: string): string | null {
  if (presented.startsWith(KEY_PREFIX)) {
    return "it is an API key, which is for /v1 alone; a token for this API begins with wgo_";
  }
  if (!presented.startsWith(TOKEN_PREFIX)) return "it begins otherwise than a token does, which is with wgo_";
  if (presented.length !== KEY_LENGTH) {
    return `it has ${presented.length} characters, and a whole token has ${KEY_LENGTH}`;
  }
  if (!FORM.test(presented))
    return "it has a character that no token has: only letters and digits follow wgo_";
  const body = presented.slice(0, -CHECK_LENGTH);
  return presented === body + checkOf(body)
    ? null
    : "its checksum does not fit: a character is mistyped or was swapped";
}

function checkOf(body: string): string {
  let rest = Bun.hash.crc32(body);
  let check = "";
  for (let digit = 0; digit < CHECK_LENGTH; digit++) {
    check = BASE62.charAt(rest % BASE62.length) + check;
    rest = Math.floor(rest / BASE62.length);
  }
  return check;
}
