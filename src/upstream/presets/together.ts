import { bearer } from "./auth.ts";
import type { Preset } from "./preset.ts";

export const together: Preset = {
  baseUrl: "https://api.together.ai/v1",
  speaks: ["chat"],
  needsCredential: true,
  auth: bearer,
  modelsPath: "/models",
};
