import { bearer } from "./auth.ts";
import { mistralBody } from "./mistral-body.ts";
import type { Preset } from "./preset.ts";

export const mistral: Preset = {
  baseUrl: "https://api.mistral.ai/v1",
  speaks: ["chat"],
  needsCredential: true,
  auth: bearer,
  modelsPath: "/models",
  rewrite: (body, { path }) => (path === "chat" ? mistralBody(body) : body),
};
