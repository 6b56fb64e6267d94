import { bearer } from "./auth.ts";
import type { Preset } from "./preset.ts";

/** Its responses lack fields that clients of that dialect send, so these are translated here. */
export const groq: Preset = {
  baseUrl: "https://api.groq.com/openai/v1",
  speaks: ["chat"],
  needsCredential: true,
  auth: bearer,
  modelsPath: "/models",
};
