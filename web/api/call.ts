import { type ClientParts, createClient } from "./client.ts";

/** Set once by the app; a page only calls. */
const hooks: Pick<ClientParts, "onSignedOut" | "confirmIdentity"> = {
  onSignedOut: () => {},
  confirmIdentity: async () => false,
};

export function setCallHooks(given: Partial<typeof hooks>): void {
  Object.assign(hooks, given);
}

/** For what is too long to be had as one answer. */
export const callHooks: Readonly<typeof hooks> = hooks;

/** Calls an endpoint by its name: `await call("GET /keys/{id}", { params: { id } })`. Fails with an ApiError. */
export const call = createClient({
  fetch: (url, init) => fetch(url, init),
  isOnline: () => navigator.onLine,
  onSignedOut: () => hooks.onSignedOut(),
  confirmIdentity: () => hooks.confirmIdentity(),
});
