import { bearerOrKey } from "./auth.ts";
import type { Preset } from "./preset.ts";

/** Alibaba's DashScope, outside China; inside: https://dashscope.aliyuncs.com/compatible-mode/v1 */
export const qwen: Preset = {
  baseUrl: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  messagesPath: "/apps/anthropic",
  speaks: ["chat", "messages"],
  needsCredential: true,
  auth: bearerOrKey,
  modelsPath: "/models",
};
