import { bearerOrKey } from "./auth.ts";
import type { Preset } from "./preset.ts";

/** The server of llama.cpp. */
export const llamaCpp: Preset = {
  baseUrl: "http://127.0.0.1:8080/v1",
  speaks: ["chat", "messages"],
  needsCredential: false,
  auth: bearerOrKey,
  modelsPath: "/models",
};
