import { bearerOrKey } from "./auth.ts";
import type { Preset } from "./preset.ts";

export const anthropicCompatible: Preset = {
  baseUrl: null,
  addressExample: "https://api.example.org/anthropic",
  speaks: ["messages"],
  needsCredential: false,
  auth: bearerOrKey,
  modelsPath: "/models",
};
