import type { Credential, Upstream } from "../domain/catalogue.ts";
import { UpstreamFailure } from "./answer.ts";
import { addressFor } from "./presets/address.ts";
import {
  isMessagesPath,
  type SentHeaders,
  type Signer,
  type SignWith,
  type UpstreamPath,
} from "./presets/preset.ts";
import { PRESETS } from "./presets/presets.ts";
import { type SealKey, unseal } from "./seal.ts";

/** Where a kind of request goes, and what goes with it. */
export type Destination = {
  url: URL;
  headers: SentHeaders;
  /** The same headers with some of the client's, each form once. */
  variants: Map<string, SentHeaders>;
  rewrite: (body: Uint8Array, headers: SentHeaders) => Uint8Array;
};

export type DestinationFor = {
  path: UpstreamPath;
  model: string;
  stream: boolean;
  credential: Credential | null;
  sealKey: SealKey;
};

const MESSAGES_VERSION = "2023-06-01";

/** A credential is bound to the origin it was saved for: it opens for no other. */
export function destinationOf(
  { name, kind, baseUrl }: Upstream,
  { path, model, stream, credential: given, sealKey }: DestinationFor,
): Destination | UpstreamFailure {
  if (baseUrl === null) return new UpstreamFailure("connect", `upstream ${name} has no address`);
  const preset = PRESETS[kind];
  const asked = { baseUrl, path, model, stream };
  const address = addressFor(preset, asked);
  if (address === null) return new UpstreamFailure("connect", `upstream ${name} has nothing for ${path}`);
  const url = new URL(address);
  const headers: SentHeaders = { "content-type": "application/json" };
  if (isMessagesPath(path)) headers["anthropic-version"] = MESSAGES_VERSION;
  const credential = given === null ? null : unseal(given.sealed, { key: sealKey, boundTo: url.origin });
  if (given !== null && credential === null) {
    const detail = `the credential of ${name} cannot be opened with this master secret`;
    return new UpstreamFailure("connect", detail);
  }
  if (credential !== null) Object.assign(headers, preset.auth(credential, path));
  const rewrite: Destination["rewrite"] = (body, sent) =>
    preset.rewrite?.(body, { ...asked, headers: sent }) ?? body;
  return { url, headers, variants: new Map(), rewrite };
}

type SignerFor = Pick<SignWith, "ask" | "nowMs"> & { credential: Credential | null; sealKey: SealKey };

/** One for all that is sent with a credential, so that a token is asked for once. */
export function signerOf(
  { kind, baseUrl }: Upstream,
  { credential: sealed, sealKey, ...given }: SignerFor,
): Signer | null {
  const { signer } = PRESETS[kind];
  if (signer === undefined || baseUrl === null || sealed === null) return null;
  const credential = unseal(sealed.sealed, { key: sealKey, boundTo: new URL(baseUrl).origin });
  return credential === null ? null : signer({ ...given, credential, baseUrl });
}
