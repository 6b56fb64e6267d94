/** `__Host-`: over TLS or on this machine only, for this host alone, and no other path or subdomain can set it. */
export const SESSION_COOKIE = "__Host-wicketgate";

/** As long as browsers keep one; the session itself ends by its row. */
const SECONDS_MAX = 400 * 86_400;

/**
 * Strict loses nothing: the pages need no cookie, and their own calls are same-site wherever the page was opened from.
 */
export function sessionCookie(token: string): string {
  return `${SESSION_COOKIE}=${token}; Path=/; Max-Age=${SECONDS_MAX}; Secure; HttpOnly; SameSite=Strict`;
}

export function noSessionCookie(): string {
  return `${SESSION_COOKIE}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Strict`;
}

export function readCookie(request: Request, name: string): string | null {
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, ...value] = part.trim().split("=");
    if (key === name) return value.join("=");
  }
  return null;
}
