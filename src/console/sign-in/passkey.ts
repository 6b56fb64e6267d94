import { isIP } from "node:net";
import type { Passkey } from "../../store/passkeys.ts";
import { ConsoleProblem } from "../api/problem.ts";
import { readAssertion, readRegistration } from "./passkey-form.ts";

/** Passkeys: found by the authenticator itself, and only with whoever holds it checked by finger, face or PIN. */

/** It takes 14 MB, which only those pay who have passkeys. */
const library = () => import("@simplewebauthn/server");

const CHALLENGE_BYTES = 32;
const ASK_MS_MAX = 300_000;

/** What a passkey is bound to: the house's host. */
export type Party = { id: string; name: string; origin: string };

export function partyOf(root: string, name: string): Party {
  const url = new URL(root);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) === 0) return { id: url.hostname, name, origin: url.origin };
  const here =
    host === "::1" || host.startsWith("127.") ? `${url.protocol}//localhost:${url.port}/console/` : null;
  const how = here === null ? "set WICKETGATE_PUBLIC_URL to its name" : `open it as ${here}`;
  throw new ConsoleProblem(
    "conflict",
    `A passkey belongs to a host name, and this console is open at the address ${host}: ${how}.`,
  );
}

export function newChallenge(randomBytes: (count: number) => Uint8Array): string {
  return Buffer.from(randomBytes(CHALLENGE_BYTES)).toString("base64url");
}

export type Holder = { id: string; email: string; name: string };

export async function creationOptions(
  party: Party,
  given: { challenge: string; holder: Holder; kept: readonly Passkey[] },
) {
  const { challenge, holder, kept } = given;
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpID: party.id,
    rpName: party.name,
    userID: new Uint8Array(Buffer.from(holder.id)),
    userName: holder.email,
    userDisplayName: holder.name === "" ? holder.email : holder.name,
    challenge: new Uint8Array(Buffer.from(challenge, "base64url")),
    timeout: ASK_MS_MAX,
    attestationType: "none",
    excludeCredentials: kept.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: [...transports],
    })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** Without `kept` the authenticator says whose passkey it is. */
export async function requestOptions(
  party: Party,
  { challenge, kept = [] }: { challenge: string; kept?: readonly Passkey[] },
) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: party.id,
    challenge: new Uint8Array(Buffer.from(challenge, "base64url")),
    timeout: ASK_MS_MAX,
    userVerification: "required",
    allowCredentials: kept.map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: [...transports],
    })),
  });
}

export type MadePasskey = Pick<Passkey, "credentialId" | "publicKey" | "counter" | "transports">;

/** Null where the response does not prove it. */
export async function checkCreation(
  party: Party,
  given: { challenge: string; response: Record<string, unknown> },
): Promise<MadePasskey | null> {
  const response = readRegistration(given.response);
  const { verifyRegistrationResponse } = await library();
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: given.challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    });
    if (registrationInfo === undefined) return null;
    const { id, publicKey, counter } = registrationInfo.credential;
    const transports = response.response.transports ?? [];
    return { credentialId: id, publicKey: new Uint8Array(publicKey), counter, transports };
  } catch {
    return null;
  }
}

export function credentialIdOf(response: Record<string, unknown>): string {
  return readAssertion(response).id;
}

/** The authenticator's new count, or null where the response does not prove this passkey. */
export async function checkAssertion(
  party: Party,
  given: { challenge: string; response: Record<string, unknown>; passkey: Passkey },
): Promise<number | null> {
  const { challenge, passkey } = given;
  const response = readAssertion(given.response);
  const { userHandle } = response.response;
  if (userHandle !== undefined && Buffer.from(userHandle, "base64url").toString() !== passkey.accountId) {
    return null;
  }
  const { verifyAuthenticationResponse } = await library();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        // Whether the count goes up is decided where it is kept.
        counter: 0,
      },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}
