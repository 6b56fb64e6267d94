import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** AES-256-GCM; `boundTo` (an origin, an id) must be the same to open it as it was to seal it. */

const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 1;

/** While the master secret is changed there are two: what is sealed is sealed with the newest, and all of them open. */
export type SealKeys = { newest: Uint8Array; others: readonly Uint8Array[] };
export type SealKey = Uint8Array | SealKeys;

export type Sealing = { key: SealKey; boundTo: string };

export function seal(plain: string, { key, boundTo }: Sealing): Uint8Array {
  const iv = randomBytes(IV_BYTES);
  const newest = key instanceof Uint8Array ? key : key.newest;
  const cipher = createCipheriv("aes-256-gcm", newest, iv).setAAD(Buffer.from(boundTo));
  const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return new Uint8Array(Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), body]));
}

/** Null where it was not sealed so: another secret, another binding, or altered bytes. */
export function unseal(sealed: Uint8Array, { key, boundTo }: Sealing): string | null {
  if (!(key instanceof Uint8Array)) {
    for (const one of [key.newest, ...key.others]) {
      const plain = unseal(sealed, { key: one, boundTo });
      if (plain !== null) return plain;
    }
    return null;
  }
  if (sealed[0] !== VERSION || sealed.length < 1 + IV_BYTES + TAG_BYTES) return null;
  const iv = sealed.subarray(1, 1 + IV_BYTES);
  const tag = sealed.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(boundTo)).setAuthTag(tag);
    const body = sealed.subarray(1 + IV_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}
