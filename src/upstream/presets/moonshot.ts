import { bearerOrKey } from "./auth.ts";
import type { Preset } from "./preset.ts";

/** In China: https://api.moonshot.cn/v1 */
export const moonshot: Preset = {
  baseUrl: "https://api.moonshot.ai/v1",
  messagesPath: "/anthropic",
  speaks: ["chat", "messages"],
  needsCredential: true,
  auth: bearerOrKey,
  modelsPath: "/models",
};
