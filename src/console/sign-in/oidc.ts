import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
} from "openid-client";
import { UpstreamFailure } from "../../upstream/answer.ts";
import { exchangeOver } from "./oidc-exchange.ts";
import type { OidcService } from "./oidc-service.ts";

/** Sign-in by the house's OpenID Connect service: authorization code, PKCE, state and nonce. */

const KNOWN_MS_MAX = 3_600_000;
const CALL_SECONDS_MAX = 10;
const WHY_CHARACTERS_MAX = 200;

type Known = { client: Promise<Configuration>; sinceMs: number };
const known = new WeakMap<OidcService, Known>();

/** What the service says of itself is asked once an hour; a failure is forgotten at once. */
function clientOf(service: OidcService, nowMs: number): Promise<Configuration> {
  const found = known.get(service);
  if (found !== undefined && nowMs - found.sinceMs < KNOWN_MS_MAX) return found.client;
  const client = discovered(service);
  known.set(service, { client, sinceMs: nowMs });
  client.catch(() => known.delete(service));
  return client;
}

async function discovered(service: OidcService): Promise<Configuration> {
  const { issuer, clientId, clientSecret, outbound } = service;
  // The settings allow an address without TLS on this machine alone.
  const plain = new URL(issuer).protocol === "http:" ? [allowInsecureRequests] : [];
  const exchange = exchangeOver(outbound);
  const found = await discovery(new URL(issuer), clientId, undefined, None(), {
    [customFetch]: exchange,
    execute: plain,
    timeout: CALL_SECONDS_MAX,
  });
  const server = found.serverMetadata();
  const client = new Configuration(server, clientId, undefined, authentication(server, clientSecret));
  client[customFetch] = exchange;
  client.timeout = CALL_SECONDS_MAX;
  for (const allow of plain) allow(client);
  // The signature is checked too, and not the connection alone that it came over.
  enableNonRepudiationChecks(client);
  return client;
}

/** Asks it anew; what is wrong, and what to change, in a sentence, or null where it answers as it should. */
export async function issuerTrouble(service: OidcService): Promise<string | null> {
  try {
    await discovered(service);
    return null;
  } catch (error) {
    return explained(service.issuer, error);
  }
}

/** The library wraps what went wrong on the way. */
function explained(issuer: string, error: unknown): string {
  const failure = [error, error instanceof Error ? error.cause : null].find(
    one => one instanceof UpstreamFailure,
  );
  if (failure instanceof UpstreamFailure) {
    const why = failure.detail.replace(/[.\s]+$/, "");
    return `${issuer} cannot be reached: ${why}. Check the address, and that this machine may connect to it.`;
  }
  const why = error instanceof Error ? error.message.replace(/[.\s]+$/, "").slice(0, WHY_CHARACTERS_MAX) : "";
  return `${issuer} does not answer as an OpenID Connect issuer does (${why}): enter its issuer address exactly as it names itself.`;
}

type Server = { token_endpoint_auth_methods_supported?: string[] };

function authentication({ token_endpoint_auth_methods_supported: methods }: Server, secret: string | null) {
  if (secret === null) return None();
  // A service that says nothing takes it by the header.
  const takesHeader = methods === undefined || methods.includes("client_secret_basic");
  return takesHeader ? ClientSecretBasic(secret) : ClientSecretPost(secret);
}

/** What has to be known again when the browser comes back. */
export type OidcFlow = { verifier: string; nonce: string };

export type OidcStart = OidcFlow & {
  state: string;
  redirectUri: string;
  /** Whoever is signed in already is to prove it anew, not by what the service remembers. */
  isAgain: boolean;
  nowMs: number;
};

export async function oidcAddress(service: OidcService, start: OidcStart): Promise<URL> {
  const client = await clientOf(service, start.nowMs);
  return buildAuthorizationUrl(client, {
    redirect_uri: start.redirectUri,
    scope: "openid email profile",
    code_challenge: await calculatePKCECodeChallenge(start.verifier),
    code_challenge_method: "S256",
    state: start.state,
    nonce: start.nonce,
    ...(start.isAgain ? { prompt: "login" } : {}),
  });
}

export type OidcPerson = {
  issuer: string;
  subject: string;
  /** Null where the service does not vouch for one. */
  email: string | null;
  name: string;
  /** When they proved it to the service, where it says so. */
  provedAtMs: number | null;
};

/** `back` is the address that the browser came back to, whole. Rejects where anything does not fit. */
export async function oidcPerson(
  service: OidcService,
  given: OidcFlow & { back: URL; state: string; nowMs: number },
): Promise<OidcPerson> {
  const client = await clientOf(service, given.nowMs);
  const tokens = await authorizationCodeGrant(client, given.back, {
    pkceCodeVerifier: given.verifier,
    expectedState: given.state,
    expectedNonce: given.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("the service gave no ID token");
  const { sub, iss, auth_time: provedAt } = claims;
  const told = claims["email"] === undefined ? await fetchUserInfo(client, tokens.access_token, sub) : claims;
  const { email, email_verified: isVerified, name } = told as Record<string, unknown>;
  // Some services write it as text.
  const vouchedFor = typeof email === "string" && (isVerified === true || isVerified === "true");
  return {
    issuer: iss,
    subject: sub,
    email: vouchedFor ? email.toLowerCase() : null,
    name: typeof name === "string" ? name : "",
    provedAtMs: typeof provedAt === "number" ? provedAt * 1000 : null,
  };
}
