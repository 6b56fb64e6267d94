import { bearer } from "./auth.ts";
import type { Preset } from "./preset.ts";

/** Its messages are given up by the maker, so they are translated here. */
export const xai: Preset = {
  baseUrl: "https://api.x.ai/v1",
  speaks: ["chat", "responses"],
  needsCredential: true,
  auth: bearer,
  modelsPath: "/models",
};
