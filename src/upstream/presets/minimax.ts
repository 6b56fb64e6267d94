import { bearerOrKey } from "./auth.ts";
import type { Preset } from "./preset.ts";

/** In China: https://api.minimaxi.com/v1 */
export const minimax: Preset = {
  baseUrl: "https://api.minimax.io/v1",
  messagesPath: "/anthropic",
  speaks: ["chat", "messages"],
  needsCredential: true,
  auth: bearerOrKey,
  modelsPath: "/models",
};
