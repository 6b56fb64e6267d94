import type { Prompt } from "../domain/chat.ts";
import type { Problem } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";
import { noToolBook, type ToolBook } from "../protocols/tool-book.ts";
import { translatePrompt } from "../protocols/translate-prompt.ts";
import type { Admitted } from "../store/store.ts";
import { type Exchange, failedExchange } from "../upstream/answer.ts";
import type { Send } from "../upstream/send.ts";
import type { Call } from "./call.ts";
import { ENDPOINTS } from "./endpoints.ts";
import type { Gate } from "./gate.ts";
import { outputLimit } from "./grant.ts";
import { NativePassage, type Passage, translatedPassage } from "./passage.ts";
import type { Way } from "./resolve.ts";
import type { Upload } from "./upload.ts";

export type Launch = { call: Call; way: Way; admitted: Admitted; upload: Pick<Upload, "body"> | null };
type ToWrite = { call: Call; way: Way; prompt: Prompt; outputTokens: number | null };
type Written = { bytes: Uint8Array; book: ToolBook };
export type Launched = { exchange: Exchange; passage: Passage };

/** The upstream that was picked cannot be asked this in its dialect. */
export class Untranslatable extends Error {
  override readonly name = "Untranslatable";
  constructor(readonly problem: Problem) {
    super(problem.problem);
  }
}

/** Sends an admitted request on its way. What goes wrong here is told by the exchange, so that the hold is resolved. */
export function launch({ call, way, admitted, upload }: Launch, gate: Gate): Launched {
  const { request, upstream, upstreamModel, prompt } = way;
  const outputTokens = outputLimit(way, admitted);
  try {
    if (prompt === null) {
      const { writeRequest } = ENDPOINTS[call.operation];
      const body =
        upload?.body(upstreamModel) ??
        writeRequest(request, { upstreamModel, outputTokens, kind: upstream.kind });
      return { exchange: send(body, { call, way }, gate), passage: new NativePassage(call, way, gate) };
    }
    const { bytes, book } = written({ call, way, prompt, outputTokens });
    const passage = translatedPassage({ call, way, prompt, book }, gate);
    return { exchange: send(bytes, { call, way }, gate), passage };
  } catch (error) {
    return { exchange: failedExchange(error), passage: new NativePassage(call, way, gate) };
  }
}

/** A body may already be in the upstream's dialect although its path was not: then it is the answer that is translated. */
function written({ call, way, prompt, outputTokens }: ToWrite): Written {
  const { request, upstream, upstreamModel, dialect } = way;
  const to = PROTOCOLS[dialect];
  if (request.dialect === dialect && call.dialect !== dialect) {
    const bytes = to.writeRequest(request, { upstreamModel, outputTokens, kind: upstream.kind });
    return { bytes, book: noToolBook };
  }
  const outputTokensMax = outputTokens ?? Math.floor(way.outputTokens / request.choices);
  const target = { model: upstreamModel, kind: upstream.kind, outputTokensMax };
  const translated = translatePrompt({ prompt, to, target });
  if ("problem" in translated) throw new Untranslatable(translated.problem);
  return translated;
}

function send(body: Send["body"], { call, way }: Pick<Launch, "call" | "way">, gate: Gate): Exchange {
  const { upstream, credential, upstreamModel, dialect, request } = way;
  const path = call.operation === call.dialect ? dialect : call.operation;
  const asks = call.dialect === "messages" && dialect === "messages" ? call.http.headers : null;
  return gate.send({ upstream, credential, upstreamModel, path, stream: request.stream, body, asks });
}
