import { bearerOrKey } from "./auth.ts";
import type { Preset } from "./preset.ts";

export const deepseek: Preset = {
  baseUrl: "https://api.deepseek.com",
  messagesPath: "/anthropic",
  speaks: ["chat", "messages"],
  needsCredential: true,
  auth: bearerOrKey,
  modelsPath: "/models",
};
