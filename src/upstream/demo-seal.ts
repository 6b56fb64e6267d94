/** What a seal is for; one that was made for something else does not hold. */
export type SealKind = "signature" | "redacted" | "encrypted";

const TEXT_BYTES = 32;
const NOISE_BYTES = 96;
const CHECK_BYTES = 32;

/**
 * What the demo gives out with its thoughts and wants back as it was: a hash of the text, noise as long as a provider's
 * own, and a hash over both. There is nothing to keep secret, so it has no key.
 */
export function demoSeal(sealed: { kind: SealKind; seed: string; text: string }): string {
  const noise = new Bun.CryptoHasher("sha384").update(sealed.seed).digest();
  const content = Buffer.concat([sha256(sealed.text), noise, noise.toReversed()]);
  return Buffer.concat([content, check(sealed.kind, content)]).toString("base64");
}

/** A signature belongs to the text beside it; the other kinds stand alone, and `text` is null. */
export function isDemoSeal(seal: string, expected: { kind: SealKind; text: string | null }): boolean {
  const bytes = Buffer.from(seal, "base64");
  if (bytes.length !== TEXT_BYTES + NOISE_BYTES + CHECK_BYTES) return false;
  const content = bytes.subarray(0, -CHECK_BYTES);
  if (!check(expected.kind, content).equals(bytes.subarray(-CHECK_BYTES))) return false;
  return expected.text === null || sha256(expected.text).equals(bytes.subarray(0, TEXT_BYTES));
}

function check(kind: SealKind, content: Uint8Array): Buffer {
  return sha256(Buffer.concat([Buffer.from(`wicketgate demo ${kind}`), content]));
}

function sha256(data: string | Uint8Array): Buffer {
  return new Bun.CryptoHasher("sha256").update(data).digest();
}
