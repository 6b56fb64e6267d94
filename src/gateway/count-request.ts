import { groupRefusal, keyRefusal } from "../domain/decide.ts";
import { type Refusal, refusal } from "../domain/errors.ts";
import { dataTokensGuess, inputTokensGuess } from "../pricing/estimate.ts";
import { readCountRequest } from "../protocols/anthropic-messages/read-request.ts";
import type { RequestView } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";
import type { KeyHolder } from "../store/keys.ts";
import { pickUpstream } from "../upstream/pick.ts";
import type { Send } from "../upstream/send.ts";
import { shortAnswer } from "../upstream/short-answer.ts";
import { readBody } from "./body.ts";
import { arrive, type Call } from "./call.ts";
import type { Gate } from "./gate.ts";
import { commonHeaders } from "./headers.ts";
import { identify } from "./identify.ts";
import { refuse } from "./refuse.ts";

/** An upstream that takes longer is not worth waiting for: a client asks dozens of times at once. */
const COUNT_MS_MAX = 5_000;
const ANSWER_BYTES_MAX = 65_536;

/** How many tokens a messages request would read. It costs nothing, writes nothing and counts against no limit. */
export async function countTokens(http: Request, gate: Gate): Promise<Response> {
  const call = arrive(http, "messages", gate);
  const holder = await identify(call, gate);
  if (holder instanceof Response) return holder;
  const read = await readBody(http, gate.limits.bodyBytesMax, readCountRequest);
  if ("refusal" in read) return refuse(call, keyRefusal(holder, gate.nowMs()) ?? read.refusal, gate);
  const { request } = read;
  const refused = standsInTheWay(holder, request.model, gate);
  if (refused !== null) return refuse(call, refused, gate);
  const counted = (await upstreamCount(call, request, gate)) ?? (await ownCount(request, gate));
  return Response.json({ input_tokens: counted }, { headers: commonHeaders(call) });
}

function standsInTheWay(holder: KeyHolder, model: string, gate: Gate): Refusal | null {
  const known = gate.catalogue().models.get(model);
  const problem = known === undefined ? refusal("model_not_in_group") : null;
  return keyRefusal(holder, gate.nowMs()) ?? groupRefusal(holder, { model, problem });
}

/** The upstream's own count, where it speaks this dialect and answers; it knows its tokenizer. */
async function upstreamCount(call: Call, request: RequestView, gate: Gate): Promise<number | null> {
  const { model } = request;
  const picked = pickUpstream(gate.catalogue().upstreams, {
    model,
    operation: "messages",
    random: gate.random,
    health: gate.health,
    nowMs: gate.nowMs(),
    affinity: null,
    tried: [],
  });
  if (picked === null || picked.dialect !== "messages") return null;
  const upstreamModel = picked.upstream.models.get(model) ?? model;
  const body = PROTOCOLS.messages.writeRequest(request, {
    upstreamModel,
    outputTokens: null,
    kind: picked.upstream.kind,
  });
  const { upstream, credential } = picked;
  return askUpstream({ call, upstream, credential, upstreamModel, body }, gate);
}

type Asked = Pick<Send, "upstream" | "credential" | "upstreamModel"> & { call: Call; body: Uint8Array };

async function askUpstream({ call, body, ...to }: Asked, gate: Gate): Promise<number | null> {
  const { upstream } = to;
  const asks = call.http.headers;
  const exchange = gate.send({ ...to, path: "count_tokens", stream: false, body, asks });
  const timer = setTimeout(() => exchange.abort(), COUNT_MS_MAX);
  try {
    const answer = await exchange.answer;
    const bytes = await shortAnswer(answer, ANSWER_BYTES_MAX);
    if (answer.status !== 200) return null;
    const { input_tokens: counted } = JSON.parse(bytes.toString("utf8")) as { input_tokens?: unknown };
    return typeof counted === "number" && Number.isSafeInteger(counted) && counted >= 0 ? counted : null;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    gate.log("debug", "upstream.did_not_count", { request: call.id, upstream: upstream.name, why });
    return null;
  } finally {
    clearTimeout(timer);
  }
}

async function ownCount(request: RequestView, gate: Gate): Promise<number> {
  const { bytes, dataBytes, dataParts, dialect } = request;
  const guess = { input: inputTokensGuess({ bytes: bytes.length, dataBytes, dataParts }), output: 0 };
  const content = { bytes: 0, sample: new Uint8Array() };
  const dataTokens = dataTokensGuess(dataParts);
  const { input } = await gate.countTokens({ dialect, request: bytes, dataTokens, content, guess });
  return input;
}
