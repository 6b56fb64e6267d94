import { bearerOrKey } from "./auth.ts";
import type { Preset } from "./preset.ts";

export const ollama: Preset = {
  baseUrl: "http://127.0.0.1:11434/v1",
  speaks: ["chat", "responses", "messages"],
  needsCredential: false,
  auth: bearerOrKey,
  modelsPath: "/models",
};
