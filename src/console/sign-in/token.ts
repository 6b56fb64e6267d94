const TOKEN_BYTES = 32;

/** A secret that is given out once: nobody guesses it, so what is kept of it needs no salt. */
export function newToken(randomBytes: (count: number) => Uint8Array): { token: string; hash: string } {
  const token = Buffer.from(randomBytes(TOKEN_BYTES)).toString("base64url");
  return { token, hash: tokenHash(token) };
}

export function tokenHash(token: string): string {
  return new Bun.CryptoHasher("sha256").update(token).digest("base64url");
}
