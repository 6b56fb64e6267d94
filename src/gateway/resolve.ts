import type { Catalogue, Upstream } from "../domain/catalogue.ts";
import type { Ask, Quote } from "../domain/decide.ts";
import { type Refusal, refusal } from "../domain/errors.ts";
import type { Price } from "../domain/model.ts";
import type { Dialect } from "../domain/usage.ts";
import { inputTokensBound, inputTokensGuess } from "../pricing/estimate.ts";
import { outputTokensBound, quote } from "../pricing/price.ts";
import type { ChatRequest, ReadResult } from "../protocols/openai-chat/read-request.ts";
import { pickUpstream } from "../upstream/pick.ts";

/** What the request asks for, in terms of the catalogue: who can serve it and what it may cost. */
export type Resolved = { ask: Ask; way: Way | null };
export type Way = {
  request: ChatRequest;
  upstream: Upstream;
  upstreamModel: string;
  price: Price;
  quote: Quote;
  /** What is held for, over all choices. */
  outputTokens: number;
  /** The client or the operator set a limit; otherwise ours must be sent. */
  isBounded: boolean;
  /** How this upstream calls the limit where the client did not name one. */
  limitField: "max_tokens" | "max_completion_tokens";
};

/** A stream is held for so many tokens of each choice at first, so that a long one does not starve the others. */
const FIRST_TOKENS = 4_096;

export type ResolveWith = { catalogue: Catalogue; dialect: Dialect; random: () => number };

export function resolve(read: ReadResult, { catalogue, dialect, random }: ResolveWith): Resolved {
  if ("refusal" in read) return { ask: hopeless(read.model, 0, read.refusal), way: null };
  const { request } = read;
  const { outputTokensAsked, choices } = request;
  const size = { bytes: request.bytes.length, dataBytes: request.dataBytes, dataParts: request.dataParts };
  const inputTokens = inputTokensGuess(size);
  const model = catalogue.models.get(request.model);
  if (model === undefined) {
    return { ask: hopeless(request.model, inputTokens, refusal("model_not_in_group")), way: null };
  }
  const { price } = model;
  if (price === null) {
    const unpriced = refusal("model_unpriced", { model: request.model });
    return { ask: hopeless(request.model, inputTokens, unpriced), way: null };
  }
  const outputTokens = outputTokensBound(model, outputTokensAsked, choices);
  const heldTokens = request.stream ? Math.min(outputTokens, FIRST_TOKENS * choices) : outputTokens;
  const quoted = quote(price, { inputTokens: inputTokensBound(size), outputTokens, heldTokens, choices });
  const ask: Ask = { model: request.model, problem: null, quote: quoted, inputTokens };
  const upstream = pickUpstream(catalogue.upstreams, { model: request.model, dialect, random });
  if (upstream === null) {
    ask.problem = refusal("no_upstream", { model: request.model, seconds: 5 });
    return { ask, way: null };
  }
  const upstreamModel = upstream.models.get(request.model) ?? request.model;
  const isBounded = outputTokensAsked !== null || model.outputTokensMax !== null;
  // OpenAI's reasoning models refuse the older name.
  const limitField =
    request.limitField ?? (upstream.kind === "openai" ? "max_completion_tokens" : "max_tokens");
  const asked = { request, price, quote: quoted, outputTokens, isBounded, limitField };
  return { ask, way: { ...asked, upstream, upstreamModel } };
}

/** Asked for all the same, so that it is refused on the record. */
function hopeless(model: string, inputTokens: number, problem: Refusal): Ask {
  return { model, problem, quote: null, inputTokens };
}
