import { awsKeys, awsSigner } from "../sign-aws.ts";
import { bearer } from "./auth.ts";
import { bedrockAnswer } from "./bedrock-answer.ts";
import { editBody } from "./edit-body.ts";
import type { Asked, Preset } from "./preset.ts";

const VERSION = JSON.stringify("bedrock-2023-05-31");

/** Anthropic's models in Amazon's cloud, with a Bedrock API key or the keys of AWS. */
export const bedrock: Preset = {
  baseUrl: null,
  addressExample: "https://bedrock-runtime.us-east-1.amazonaws.com",
  speaks: ["messages"],
  speaksNothingElse: true,
  needsCredential: true,
  auth: (credential, path) => (awsKeys(credential) === null ? bearer(credential, path) : {}),
  signer: awsSigner,
  // What is listed at another host is not what an account may call.
  modelsPath: null,
  address,
  rewrite: (body, { headers }) => {
    const beta = headers["anthropic-beta"];
    const betas = beta === undefined ? null : JSON.stringify(beta.split(",").map(name => name.trim()));
    return editBody(
      body,
      new Map([
        ["anthropic_version", VERSION],
        ["model", null],
        ["stream", null],
        ...(betas === null ? [] : ([["anthropic_beta", betas]] as const)),
      ]),
    );
  },
  reframe: bedrockAnswer,
};

/** The model, or the profile through which it is called, is named in the path, and whether to stream as well. */
function address({ baseUrl, path, model, stream }: Asked): string | null {
  if (path !== "messages") return null;
  return `${baseUrl}/model/${encodeURIComponent(model)}/${stream ? "invoke-with-response-stream" : "invoke"}`;
}
