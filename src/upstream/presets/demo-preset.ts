import type { Preset } from "./preset.ts";

/** Built in: it has neither an address nor a credential. */
export const demo: Preset = {
  baseUrl: null,
  speaks: ["chat", "responses", "messages"],
  needsCredential: false,
  auth: () => ({}),
  modelsPath: null,
};
