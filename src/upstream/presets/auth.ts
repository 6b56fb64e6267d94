import { type Auth, isMessagesPath } from "./preset.ts";

export const bearer: Auth = credential => ({ authorization: `Bearer ${credential}` });

/** Makers of messages-style addresses differ in which of the two they look at, so they get both. */
export const bearerOrKey: Auth = (credential, path) =>
  isMessagesPath(path) ? { "x-api-key": credential, ...bearer(credential, path) } : bearer(credential, path);

/** Anthropic itself takes a bearer for another kind of credential. */
export const keyForMessages: Auth = (credential, path) =>
  isMessagesPath(path) ? { "x-api-key": credential } : bearer(credential, path);

export const azureKey: Auth = credential => ({ "api-key": credential });
