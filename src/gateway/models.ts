import { groupIsClosed, keyRefusal } from "../domain/decide.ts";
import { refusal } from "../domain/errors.ts";
import type { Group } from "../domain/group.ts";
import type { Model } from "../domain/model.ts";
import { usableModels } from "../domain/usable-models.ts";
import { arrive, type Call } from "./call.ts";
import type { Gate } from "./gate.ts";
import { commonHeaders } from "./headers.ts";
import { identify } from "./identify.ts";
import { refuse } from "./refuse.ts";

export async function listModels(http: Request, gate: Gate): Promise<Response> {
  const call = arrive(http, styleOf(http), gate);
  const found = await modelsFor(call, gate);
  if (found instanceof Response) return found;
  const { models } = found;
  const data = models.map(describe);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return Response.json({ object: "list", data, has_more: false, ...ends }, { headers: commonHeaders(call) });
}

export async function oneModel(http: Request, gate: Gate): Promise<Response> {
  const call = arrive(http, styleOf(http), gate);
  const found = await modelsFor(call, gate);
  if (found instanceof Response) return found;
  const { models, group } = found;
  const { pathname } = new URL(http.url);
  const name = decode(pathname.slice("/v1/models/".length));
  const model = models.find(known => known.name === name);
  if (model !== undefined) return Response.json(describe(model), { headers: commonHeaders(call) });
  const names = models.map(known => known.name).join(", ");
  return refuse(
    call,
    refusal("model_not_in_group", { model: name.slice(0, 200), group: group.name, models: names }),
    gate,
  );
}

async function modelsFor(call: Call, gate: Gate): Promise<{ models: Model[]; group: Group } | Response> {
  const holder = await identify(call, gate);
  if (holder instanceof Response) return holder;
  const { key, account, group } = holder;
  const refused = keyRefusal({ key, account }, gate.nowMs()) ?? groupIsClosed(holder);
  return refused === null
    ? { models: usableModels(gate.catalogue(), group), group }
    : refuse(call, refused, gate);
}

/** One shape that satisfies OpenAI's list and Anthropic's. */
function describe(model: Model) {
  return {
    id: model.name,
    object: "model",
    created: Math.floor(model.createdAtMs / 1000),
    owned_by: "wicketgate",
    type: "model",
    display_name: model.name,
    created_at: new Date(model.createdAtMs).toISOString(),
    ...(model.contextTokens === null ? {} : { context_length: model.contextTokens }),
    ...(model.outputTokensMax === null ? {} : { max_output_tokens: model.outputTokensMax }),
  };
}

/** Both styles ask at the same path; a refusal is told in the one that was used. */
function styleOf({ headers }: Request): "chat" | "messages" {
  return headers.has("anthropic-version") ? "messages" : "chat";
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
