import type { Catalogue, Upstream } from "../domain/catalogue.ts";
import type { Prompt } from "../domain/chat.ts";
import type { Ask, Quote } from "../domain/decide.ts";
import { type Refusal, refusal } from "../domain/errors.ts";
import type { Price } from "../domain/model.ts";
import { type Dialect, dialectOf, type Operation } from "../domain/usage.ts";
import { inputTokensBound, inputTokensGuess } from "../pricing/estimate.ts";
import { outputTokensBound, quote } from "../pricing/price.ts";
import { SEAL_PREFIX } from "../protocols/carry-seal.ts";
import type { ReadResult, RequestView } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";
import { pickUpstream } from "../upstream/pick.ts";

/** What the request asks for, in terms of the catalogue: who can serve it and what it may cost. */
export type Resolved = { ask: Ask; way: Way | null };
export type Way = {
  request: RequestView;
  upstream: Upstream;
  upstreamModel: string;
  /** The dialect that is spoken with the upstream. */
  dialect: Dialect;
  /** In the neutral form, where the upstream's dialect is not the client's; otherwise its bytes pass. */
  prompt: Prompt | null;
  price: Price;
  quote: Quote;
  /** What is held for, over all choices. */
  outputTokens: number;
  /** The client or the operator set a limit; otherwise ours must be sent. */
  isBounded: boolean;
};

/** A stream is held for so many tokens of each choice at first, so that a long one does not starve the others. */
const FIRST_TOKENS = 4_096;

export type ResolveWith = { catalogue: Catalogue; operation: Operation; random: () => number };

export function resolve(read: ReadResult, { catalogue, operation, random }: ResolveWith): Resolved {
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
  const inputTokensMax = inputTokensBound(size) + (request.uncountedTokensMax ?? 0);
  // Each choice gets at least one token; what cannot be limited, all of them.
  const least = request.isIndivisible === true ? outputTokens : choices;
  const bound = { inputTokens: inputTokensMax, outputTokens, heldTokens, choices: least };
  const quoted = quote(price, bound);
  const ask: Ask = { model: request.model, problem: null, quote: quoted, inputTokens };
  const picked = pickUpstream(catalogue.upstreams, { model: request.model, operation, random });
  if (picked === null) {
    ask.problem = refusal("no_upstream", { model: request.model, seconds: 5 });
    return { ask, way: null };
  }
  const { upstream, dialect } = picked;
  const isNative =
    request.dialect === dialect && dialectOf(operation) === dialect && !hasCarriedSeal(request);
  const translated = isNative ? null : PROTOCOLS[request.dialect].readPrompt(request.body);
  if (translated !== null && "problem" in translated) {
    ask.problem = refusal("request_invalid", translated.problem);
    return { ask, way: null };
  }
  const prompt = translated?.prompt ?? null;
  const upstreamModel = upstream.models.get(request.model) ?? request.model;
  const isBounded = outputTokensAsked !== null || model.outputTokensMax !== null;
  const asked = { request, prompt, price, quote: quoted, outputTokens, isBounded };
  return { ask, way: { ...asked, upstream, upstreamModel, dialect } };
}

/**
 * A conversation that began on an upstream of another dialect has that one's seals in it, wrapped. Its own upstream would
 * refuse them, so it goes through the neutral form, where they are left out. Chat has no place for them.
 */
function hasCarriedSeal({ dialect, bytes }: RequestView): boolean {
  return dialect !== "chat" && bytes.includes(SEAL_PREFIX);
}

/** Asked for all the same, so that it is refused on the record. */
function hopeless(model: string, inputTokens: number, problem: Refusal): Ask {
  return { model, problem, quote: null, inputTokens };
}
