import { bearer } from "./auth.ts";
import type { Preset } from "./preset.ts";

export const fireworks: Preset = {
  baseUrl: "https://api.fireworks.ai/inference/v1",
  speaks: ["chat", "responses", "messages"],
  needsCredential: true,
  auth: bearer,
  modelsPath: "/models",
};
