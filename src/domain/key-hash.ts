/** A hasher that has read its key already; each use takes a copy, which costs half of a new one. */
const keyed = new WeakMap<Uint8Array, Bun.CryptoHasher>();

/** What is stored of a key's string: an HMAC under a pepper that is not in the database. */
export function keyHash(lookup: Uint8Array, key: string): string {
  let hasher = keyed.get(lookup);
  if (hasher === undefined) {
    hasher = new Bun.CryptoHasher("sha256", lookup);
    keyed.set(lookup, hasher);
  }
  return hasher.copy().update(key).digest("base64url");
}
