import { bearer } from "./auth.ts";
import type { Preset } from "./preset.ts";

export const openrouter: Preset = {
  baseUrl: "https://openrouter.ai/api/v1",
  speaks: ["chat", "responses", "messages"],
  needsCredential: true,
  auth: bearer,
  modelsPath: "/models",
};
