import { googleSigner, isServiceAccount } from "../sign-google.ts";
import { bearer } from "./auth.ts";
import { editBody } from "./edit-body.ts";
import type { Asked, Preset } from "./preset.ts";

const VERSION = JSON.stringify("vertex-2023-10-16");

/** Google's cloud: Gemini speaks chat there, and Claude messages, each at addresses of its own. */
const cloud = {
  baseUrl: null,
  addressExample: "https://REGION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/REGION",
  addressForm: /\/projects\/[^/]+\/locations\/[^/]+$/,
  speaksNothingElse: true,
  needsCredential: true,
  auth: (credential, path) => (isServiceAccount(credential) ? {} : bearer(credential, path)),
  modelsPath: null,
  signer: googleSigner,
} satisfies Partial<Preset>;

export const vertexAnthropic: Preset = {
  ...cloud,
  speaks: ["messages"],
  address: claudeAddress,
  rewrite: (body, { path }) =>
    editBody(
      body,
      new Map([["anthropic_version", VERSION], ...(path === "messages" ? ([["model", null]] as const) : [])]),
    ),
};

/** The model is named in the path; to count, in the body. */
function claudeAddress({ baseUrl, path, model, stream }: Asked): string | null {
  const models = `${baseUrl}/publishers/anthropic/models`;
  if (path === "count_tokens") return `${models}/count-tokens:rawPredict`;
  if (path !== "messages") return null;
  const name = encodeURIComponent(model).replaceAll("%40", "@");
  return `${models}/${name}:${stream ? "streamRawPredict" : "rawPredict"}`;
}

export const vertexGemini: Preset = {
  ...cloud,
  speaks: ["chat"],
  address: ({ baseUrl, path }) => (path === "chat" ? `${baseUrl}/endpoints/openapi/chat/completions` : null),
  // Its models carry their maker's name.
  rewrite: (body, { model }) =>
    model.includes("/") ? body : editBody(body, new Map([["model", JSON.stringify(`google/${model}`)]])),
};
