import { bearerOrKey } from "./auth.ts";
import type { Preset } from "./preset.ts";

export const openaiCompatible: Preset = {
  baseUrl: null,
  addressExample: "https://api.example.org/v1",
  speaks: ["chat"],
  needsCredential: false,
  auth: bearerOrKey,
  modelsPath: "/models",
};
