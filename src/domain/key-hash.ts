/** What is stored of a key's string: an HMAC under a pepper that is not in the database. */
export function keyHash(lookup: Uint8Array, key: string): string {
  return new Bun.CryptoHasher("sha256", lookup).update(key).digest("base64url");
}
