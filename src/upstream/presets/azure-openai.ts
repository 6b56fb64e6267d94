import { PATHS } from "./address.ts";
import { azureKey } from "./auth.ts";
import type { Asked, Preset } from "./preset.ts";

/** Of the addresses by deployment, which keep their form for good. */
const API_VERSION = "2024-10-21";
const BY_DEPLOYMENT = /\/openai\/deployments$/;

/** Models are known by the names of their deployments, which no list tells. */
export const azureOpenai: Preset = {
  baseUrl: null,
  addressExample: "https://RESOURCE.openai.azure.com",
  speaks: ["chat", "responses"],
  needsCredential: true,
  auth: azureKey,
  modelsPath: null,
  address,
};

/** The newer form names the deployment in the body like a model; the older has it in the path, and no responses. */
function address({ baseUrl, path, model }: Asked): string {
  const root = baseUrl.replace(BY_DEPLOYMENT, "");
  if (root !== baseUrl && path !== "responses") {
    const deployment = encodeURIComponent(model);
    return `${baseUrl}/${deployment}${PATHS[path]}?api-version=${API_VERSION}`;
  }
  const base = root.replace(/\/openai(\/v1)?$/, "");
  return `${base}/openai/v1${PATHS[path]}`;
}
