import type { Credential, Upstream } from "../domain/catalogue.ts";
import type { Prompt } from "../domain/chat.ts";
import type { Ask, Quote } from "../domain/decide.ts";
import { type Refusal, refusal } from "../domain/errors.ts";
import type { Price } from "../domain/model.ts";
import { type Dialect, dialectOf, type Operation } from "../domain/usage.ts";
import { inputTokensBound, inputTokensGuess } from "../pricing/estimate.ts";
import { outputTokensBound, quote } from "../pricing/price.ts";
import { SEAL_PREFIX } from "../protocols/carry-seal.ts";
import type { Problem, ReadResult, RequestView } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";
import { isOnlyFull, type Pick as Picked, pickUpstream } from "../upstream/pick.ts";
import type { Gate } from "./gate.ts";

/** What the request asks for, in terms of the catalogue: who can serve it and what it may cost. */
export type Resolved = { ask: Ask; way: Way | null };
export type Route = {
  upstream: Upstream;
  /** The one of its credentials that is used. */
  credential: Credential | null;
  upstreamModel: string;
  /** The dialect that is spoken with the upstream. */
  dialect: Dialect;
  /** In the neutral form, where the upstream's dialect is not the client's; otherwise its bytes pass. */
  prompt: Prompt | null;
};
export type Way = Route & {
  request: RequestView;
  price: Price;
  quote: Quote;
  /** What is held for, over all choices. */
  outputTokens: number;
  /** The client or the operator set a limit; otherwise ours must be sent. */
  isBounded: boolean;
};

/** A stream is held for so many tokens of each choice at first, so that a long one does not starve the others. */
const FIRST_TOKENS = 4_096;

/** So much of a body is the same from turn to turn, if anything is. */
const AFFINITY_BYTES = 1_024;

export type ResolveWith = Pick<Gate, "catalogue" | "random" | "health" | "nowMs">;

/** What is asked, and by whom. */
export type ResolveFor = { operation: Operation; keyHash: string };

export function resolve(read: ReadResult, { operation, keyHash }: ResolveFor, gate: ResolveWith): Resolved {
  const catalogue = gate.catalogue();
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
  const wanted = {
    model: request.model,
    operation,
    random: gate.random,
    health: gate.health,
    nowMs: gate.nowMs(),
    tried: NOBODY,
    affinity: affinityOf(request, keyHash),
  };
  const picked = pickUpstream(catalogue.upstreams, wanted);
  if (picked === null) {
    const reason = isOnlyFull(catalogue.upstreams, wanted) ? "upstream_overloaded" : "no_upstream";
    ask.problem = refusal(reason, { model: request.model, seconds: 5 });
    return { ask, way: null };
  }
  const route = routeTo(picked, request, operation);
  if ("problem" in route) {
    ask.problem = refusal("request_invalid", route.problem);
    return { ask, way: null };
  }
  const isBounded = outputTokensAsked !== null || model.outputTokensMax !== null;
  const { upstream, credential, upstreamModel, dialect, prompt } = route;
  const way: Way = {
    request,
    price,
    quote: quoted,
    outputTokens,
    isBounded,
    upstream,
    credential,
    upstreamModel,
    dialect,
    prompt,
  };
  return { ask, way };
}

/** The way to an upstream: its name for the model, its dialect, and the request in the neutral form where it needs it. */
export function routeTo(
  { upstream, dialect, credential }: Picked,
  request: RequestView,
  operation: Operation,
): Route | { problem: Problem } {
  const upstreamModel = upstream.models.get(request.model) ?? request.model;
  const isNative =
    request.dialect === dialect && dialectOf(operation) === dialect && !hasCarriedSeal(request);
  if (isNative) return { upstream, credential, upstreamModel, dialect, prompt: null };
  const read = PROTOCOLS[request.dialect].readPrompt(request.body);
  return "problem" in read ? read : { upstream, credential, upstreamModel, dialect, prompt: read.prompt };
}

/** Has been asked yet. */
export const NOBODY: readonly Upstream[] = [];

/**
 * Turns of one conversation begin alike, and so do all that come from one tool: without the key, everybody who uses it
 * would go to the same upstream. What is short is cheap to read anew, and goes anywhere.
 */
function affinityOf({ bytes }: RequestView, keyHash: string): number | null {
  if (bytes.length < AFFINITY_BYTES) return null;
  return Bun.hash.xxHash32(bytes.subarray(0, AFFINITY_BYTES), Bun.hash.xxHash32(keyHash));
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
