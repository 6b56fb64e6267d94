import { bearer } from "./auth.ts";
import type { Preset } from "./preset.ts";

/** The OpenAI-compatible side of it; its version stands before the last part. */
export const gemini: Preset = {
  baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
  speaks: ["chat"],
  needsCredential: true,
  auth: bearer,
  modelsPath: "/models",
};
