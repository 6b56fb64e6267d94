import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { isObject } from "../protocols/json-value.ts";
import { UpstreamFailure } from "./answer.ts";
import type { Signer, SignWith } from "./presets/preset.ts";
import { shortAnswer } from "./short-answer.ts";

/** Google gives tokens of an hour for a statement that is signed with the key of a service account. */

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const STATEMENT_SECONDS = 3_600;
/** A token is not used up to its last moment: a request that waits must not outlive it. */
const SPARE_MS = 300_000;
const TOKEN_BYTES_MAX = 65_536;

type ServiceAccount = { email: string; keyId: string | null; key: KeyObject; tokenUrl: URL };
type Token = { value: string; untilMs: number };

/** The file of a service account is given in base64, as one run of characters; anything else is a token by itself. */
export function isServiceAccount(credential: string): boolean {
  return fieldsOf(credential) !== null;
}

export function googleSigner({ credential, ask, nowMs }: SignWith): Signer | null {
  const fields = fieldsOf(credential);
  if (fields === null) return null;
  let token: Promise<Token> | null = null;
  let untilMs = 0;
  const fresh = async (): Promise<Token> => {
    const account = accountOf(fields);
    const body = new URLSearchParams({ grant_type: GRANT, assertion: statement(account, nowMs()) });
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const request = {
      method: "POST",
      url: account.tokenUrl,
      headers,
      body: Buffer.from(String(body)),
    } as const;
    const answer = await ask(request).answer;
    const bytes = await shortAnswer(answer, TOKEN_BYTES_MAX);
    if (answer.status !== 200) throw refused(`Google gave no token: status ${answer.status}`);
    return tokenOf(bytes, nowMs());
  };
  return async request => {
    if (token === null || nowMs() >= untilMs) {
      untilMs = Number.POSITIVE_INFINITY;
      token = fresh();
      token.then(
        given => {
          untilMs = given.untilMs;
        },
        () => {
          token = null;
        },
      );
    }
    const { value } = await token;
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${value}` } };
  };
}

function fieldsOf(credential: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(credential, "base64").toString("utf8"));
    return isObject(parsed) && parsed["type"] === "service_account" ? parsed : null;
  } catch {
    return null;
  }
}

function accountOf(fields: Record<string, unknown>): ServiceAccount {
  const { client_email: email, private_key: pem, private_key_id: keyId, token_uri: address } = fields;
  if (typeof email !== "string" || typeof pem !== "string") {
    throw refused("the service account has no client_email or no private_key");
  }
  const tokenUrl = tokenUrlOf(address);
  try {
    return { email, keyId: typeof keyId === "string" ? keyId : null, key: createPrivateKey(pem), tokenUrl };
  } catch {
    throw refused("the private_key of the service account is not a key");
  }
}

/** What is signed buys tokens, so it does not travel in the open. */
function tokenUrlOf(address: unknown): URL {
  const url = new URL(typeof address === "string" && URL.canParse(address) ? address : DEFAULT_TOKEN_URL);
  const isOpen = url.protocol !== "https:" && url.hostname !== "127.0.0.1";
  if (isOpen) throw refused("the token_uri of the service account is no https address");
  return url;
}

const DEFAULT_TOKEN_URL = "https://oauth2.googleapis.com/token";

function statement({ email, keyId, key, tokenUrl }: ServiceAccount, nowMs: number): string {
  const now = Math.floor(nowMs / 1_000);
  const head = { alg: "RS256", typ: "JWT", ...(keyId === null ? {} : { kid: keyId }) };
  const claims = { iss: email, scope: SCOPE, aud: tokenUrl.href, iat: now, exp: now + STATEMENT_SECONDS };
  const said = [head, claims].map(part => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${said}.${sign("RSA-SHA256", Buffer.from(said), key).toString("base64url")}`;
}

function tokenOf(bytes: Buffer, nowMs: number): Token {
  let body: unknown = null;
  try {
    body = JSON.parse(bytes.toString("utf8"));
  } catch {
    // Told below.
  }
  const { access_token: value, expires_in: seconds } = isObject(body) ? body : {};
  if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value)) throw refused("Google gave no token");
  const lasts = typeof seconds === "number" && seconds > 0 ? seconds * 1_000 : 0;
  return { value, untilMs: nowMs + Math.max(0, lasts - SPARE_MS) };
}

function refused(detail: string): UpstreamFailure {
  return new UpstreamFailure("connect", detail);
}
