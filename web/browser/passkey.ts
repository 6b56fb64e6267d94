import type { Answer, Body } from "../api/client.ts";

type Proof = Body<"POST /sign-in/passkey">["response"];

/** Whether this browser can do it here at all: passkeys need a secure address and a host name. */
export function canPasskey(): boolean {
  return typeof window.PublicKeyCredential === "function" && window.isSecureContext;
}

/** Why the browser gave none: whoever is there closed it, or it cannot. */
export class PasskeyRefusal extends Error {
  readonly reason: "cancelled" | "known" | "failed";

  constructor(reason: "cancelled" | "known" | "failed") {
    super(reason);
    this.reason = reason;
  }
}

function refusalOf(error: unknown): PasskeyRefusal {
  const name = error instanceof Error ? error.name : "";
  if (name === "NotAllowedError" || name === "AbortError") return new PasskeyRefusal("cancelled");
  if (name === "InvalidStateError") return new PasskeyRefusal("known");
  return new PasskeyRefusal("failed");
}

/** Asks the browser to prove a passkey. Fetched when it is first used. */
export async function provePasskey(
  options: Answer<"POST /sign-in/passkey/options">["options"],
): Promise<Proof> {
  const { startAuthentication } = await import("@simplewebauthn/browser");
  try {
    const optionsJSON = options as unknown as Parameters<typeof startAuthentication>[0]["optionsJSON"];
    return { ...(await startAuthentication({ optionsJSON })) };
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Asks the browser to make one. */
export async function makePasskey(
  options: Answer<"POST /account/passkeys/options">["options"],
): Promise<Proof> {
  const { startRegistration } = await import("@simplewebauthn/browser");
  try {
    const optionsJSON = options as unknown as Parameters<typeof startRegistration>[0]["optionsJSON"];
    return { ...(await startRegistration({ optionsJSON })) };
  } catch (error) {
    throw refusalOf(error);
  }
}
