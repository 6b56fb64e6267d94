import type { Dialect } from "../domain/usage.ts";
import { writeChatRequest } from "../protocols/openai-chat/read-request.ts";
import type { Admitted } from "../store/store.ts";
import { type Exchange, failedExchange } from "../upstream/answer.ts";
import type { Gate } from "./gate.ts";
import { outputLimit } from "./grant.ts";
import type { Way } from "./resolve.ts";

export type Launch = { way: Way; admitted: Admitted; dialect: Dialect; stream: boolean };

/** Sends an admitted request on its way. What goes wrong here is told by the exchange, so that the hold is resolved. */
export function launch({ way, admitted, dialect, stream }: Launch, gate: Gate): Exchange {
  const { request, upstream, upstreamModel, limitField } = way;
  try {
    const body = writeChatRequest(request, {
      upstreamModel,
      outputTokens: outputLimit(way, admitted),
      limitField,
    });
    return gate.send({ upstream, upstreamModel, dialect, stream, body });
  } catch (error) {
    return failedExchange(error);
  }
}
