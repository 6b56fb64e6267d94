import { bearerOrKey } from "./auth.ts";
import type { Preset } from "./preset.ts";

/** In China: https://open.bigmodel.cn/api/paas/v4 */
export const zhipu: Preset = {
  baseUrl: "https://api.z.ai/api/paas/v4",
  messagesPath: "/api/anthropic",
  speaks: ["chat", "messages"],
  needsCredential: true,
  auth: bearerOrKey,
  modelsPath: "/models",
};
