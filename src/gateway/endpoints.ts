import type { Operation } from "../domain/usage.ts";
import { completions } from "../protocols/openai-endpoints/completions.ts";
import { embeddings } from "../protocols/openai-endpoints/embeddings.ts";
import type { Endpoint } from "../protocols/openai-endpoints/endpoint.ts";
import { images } from "../protocols/openai-endpoints/images.ts";
import { speech } from "../protocols/openai-endpoints/speech.ts";
import { transcriptions } from "../protocols/openai-endpoints/transcriptions.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";

/** How each operation passes where nothing is translated. */
export const ENDPOINTS: Readonly<Record<Operation, Endpoint>> = {
  ...PROTOCOLS,
  completions,
  embeddings,
  images,
  speech,
  transcriptions,
};
