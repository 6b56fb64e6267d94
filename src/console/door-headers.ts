/**
 * The pages load what they are made of from here and nowhere else, run no script that stands in a page, and are shown
 * in nobody's frame. Whatever a browser stops because of it, it reports.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "manifest-src 'self'",
  "report-uri /console/api/csp-report",
].join("; ");

const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

const PERMISSIONS = [
  "accelerometer=()",
  "camera=()",
  "display-capture=()",
  "geolocation=()",
  "gyroscope=()",
  "magnetometer=()",
  "microphone=()",
  "midi=()",
  "payment=()",
  "usb=()",
  "publickey-credentials-create=(self)",
  "publickey-credentials-get=(self)",
  "clipboard-write=(self)",
].join(", ");

const COMMON: readonly (readonly [name: string, value: string])[] = [
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
  ["referrer-policy", "same-origin"],
  ["permissions-policy", PERMISSIONS],
  ["cross-origin-opener-policy", "same-origin"],
  ["cross-origin-resource-policy", "same-origin"],
];

const HSTS = "max-age=31536000";

/** What a browser is told to hold to, on every answer. */
export function guarded(answer: Response, { isApi, root }: { isApi: boolean; root: string }): Response {
  const { headers } = answer;
  for (const [name, value] of COMMON) headers.set(name, value);
  headers.set("content-security-policy", isApi ? API_POLICY : PAGE_POLICY);
  if (root.startsWith("https://")) headers.set("strict-transport-security", HSTS);
  return answer;
}
