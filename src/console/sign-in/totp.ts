import { type SealKey, seal, unseal } from "../../upstream/seal.ts";

/** Time-based codes of an authenticator app, as every app makes them: SHA-1, six digits, half a minute. */

/** Loaded when somebody has need of it. */
const library = () => import("otplib");

const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function newTotpSecret(randomBytes: (count: number) => Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of randomBytes(SECRET_BYTES)) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32.charAt((value >> (bits - 5)) & 31);
    value &= (1 << bits) - 1;
  }
  return text;
}

/** What the app reads from the picture. */
export async function totpUri(
  secret: string,
  { house, email }: { house: string; email: string },
): Promise<string> {
  const { generateURI } = await library();
  return generateURI({ issuer: house, label: email, secret });
}

/** Six digits, however they were grouped; null where it is no such code. */
export function readTotpCode(text: string): string | null {
  const bare = text.replace(/[\s-]/g, "");
  return /^\d{6}$/.test(bare) ? bare : null;
}

/**
 * The step that a code is of, one to either side for clocks that differ; null where it is wrong. A step that was used
 * is used up, and so is every one before it.
 */
export async function totpStep(
  code: string,
  given: { secret: string; nowMs: number; lastStep: number | null },
): Promise<number | null> {
  const { secret, nowMs, lastStep } = given;
  const epoch = Math.floor(nowMs / 1000);
  const { verify } = await library();
  const found = await verify({
    secret,
    token: code,
    epoch,
    period: PERIOD_SECONDS,
    epochTolerance: PERIOD_SECONDS,
  });
  if (!found.valid) return null;
  const step = Math.floor(epoch / PERIOD_SECONDS) + found.delta;
  return lastStep !== null && step <= lastStep ? null : step;
}

type Sealed = { key: SealKey; accountId: string };

export function sealTotp(secret: string, { key, accountId }: Sealed): Uint8Array {
  return seal(secret, { key, boundTo: `totp ${accountId}` });
}

export function openTotp(sealed: Uint8Array, { key, accountId }: Sealed): string | null {
  return unseal(sealed, { key, boundTo: `totp ${accountId}` });
}
