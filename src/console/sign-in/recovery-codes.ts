/** Codes for whoever has lost the authenticator app: each works once, and only their hashes are kept. */

export const RECOVERY_CODES = 10;

const SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 12;
const GROUP_LENGTH = 4;

export function newRecoveryCodes(randomBytes: (count: number) => Uint8Array): string[] {
  // 32 divides 256, so that the low five bits of a byte favour no symbol.
  const one = () => [...randomBytes(LENGTH)].map(byte => SYMBOLS.charAt(byte & 31)).join("");
  return Array.from({ length: RECOVERY_CODES }, () => written(one()));
}

/** The one way to write it, whatever the case, separators and look-alikes; null where it is no such code. */
export function readRecoveryCode(text: string): string | null {
  const bare = text
    .toLowerCase()
    .replace(/[\s\u002d\u2010-\u2015\u2212]/g, "")
    .replaceAll("o", "0")
    .replace(/[il]/g, "1");
  const isWhole = bare.length === LENGTH && [...bare].every(symbol => SYMBOLS.includes(symbol));
  return isWhole ? written(bare) : null;
}

/** Sixty bits of chance could be searched by whoever has the database alone, so the hash is under a pepper. */
export function recoveryHash(code: string, { pepper, accountId }: { pepper: Uint8Array; accountId: string }) {
  return new Bun.CryptoHasher("sha256", pepper).update(`recovery ${accountId} ${code}`).digest("base64url");
}

function written(symbols: string): string {
  return (symbols.match(new RegExp(`.{${GROUP_LENGTH}}`, "g")) ?? []).join("-");
}
