/** How a receiver checks a message: shown beside the secret and in docs/console.md, and run by a test. */
export const VERIFY_CODE = `import { createHmac, timingSafeEqual } from "node:crypto";

// body: the bytes as they came, before anything reads them as JSON.
export function isOurs(headers, body, secret) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  if (Math.abs(new Date().getTime() / 1000 - Number(timestamp)) > 300) return false;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key).update(\`\${id}.\${timestamp}.\${body}\`).digest();
  return (headers["webhook-signature"] ?? "").split(" ").some(signature => {
    const given = Buffer.from(signature.replace("v1,", ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`;
