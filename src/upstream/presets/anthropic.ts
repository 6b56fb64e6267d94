import { keyForMessages } from "./auth.ts";
import type { Preset } from "./preset.ts";

export const anthropic: Preset = {
  baseUrl: "https://api.anthropic.com",
  speaks: ["messages"],
  needsCredential: true,
  auth: keyForMessages,
  modelsPath: "/models",
};
