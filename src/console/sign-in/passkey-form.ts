import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { z } from "zod";
import { ConsoleProblem } from "../api/problem.ts";

/** What browsers send of a passkey, as far as it is looked at; the library checks what is inside. */

const bytes = z
  .string()
  .max(20_000)
  .regex(/^[A-Za-z0-9_-]*={0,2}$/);
const credentialId = bytes.min(1).max(1400);

const registration = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: bytes,
    attestationObject: bytes,
    transports: z.array(z.string().max(32)).max(16).optional(),
  }),
});

const assertion = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal("public-key"),
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes.nullish(),
  }),
});

export function readRegistration(given: Record<string, unknown>): RegistrationResponseJSON {
  const { response, ...rest } = read(registration, given);
  const { transports, ...answer } = response;
  const known = transports === undefined ? answer : { ...answer, transports };
  return { ...rest, response: known, clientExtensionResults: {} };
}

export function readAssertion(given: Record<string, unknown>): AuthenticationResponseJSON {
  const { response, ...rest } = read(assertion, given);
  const { userHandle, ...answer } = response;
  const known = userHandle === null || userHandle === undefined ? answer : { ...answer, userHandle };
  return { ...rest, response: known, clientExtensionResults: {} };
}

function read<S extends z.ZodType>(form: S, given: Record<string, unknown>): z.output<S> {
  const found = form.safeParse(given);
  if (found.success) return found.data;
  throw new ConsoleProblem("invalid", "This is not what a browser sends of a passkey.", {
    fields: [{ path: "response", message: "must be what the browser's passkey call gave" }],
  });
}
