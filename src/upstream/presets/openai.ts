import { bearer } from "./auth.ts";
import type { Preset } from "./preset.ts";

export const openai: Preset = {
  baseUrl: "https://api.openai.com/v1",
  speaks: ["chat", "responses"],
  needsCredential: true,
  auth: bearer,
  modelsPath: "/models",
};
