import { isOpenAI } from "../../domain/catalogue.ts";
import type { Format, Part, Prompt } from "../../domain/chat.ts";
import { named } from "../check-fields.ts";
import type { Json, Problem, PromptTarget } from "../protocol.ts";
import { effortFor, limitField } from "./model-traits.ts";
import { writeMessages } from "./write-messages.ts";
import { writeTools } from "./write-tools.ts";

const USER_CHARACTERS_MAX = 64;
const UNABLE = "the upstream of this model does not";
const TIERS = ["auto", "default", "flex", "scale", "priority", "fast"];

/** A request to an upstream of any make that speaks the dialect. What only OpenAI knows is written to OpenAI alone. */
export function writeChatPrompt(prompt: Prompt, target: PromptTarget): { body: Json } | { problem: Problem } {
  const unreachable = mediaProblem(prompt);
  if (unreachable !== null) return { problem: unreachable };
  const tools = writeTools(prompt, target);
  if ("problem" in tools) return tools;
  const messages = writeMessages(prompt.turns, target);
  if (messages.length === 0) return { problem: named(prompt.turns[0]?.at ?? "messages", "has no content") };
  const limit = target.outputTokensMax ?? prompt.outputTokensMax;
  const body = {
    model: target.model,
    messages,
    ...tools.body,
    ...(limit === null ? {} : { [limitField(target)]: limit }),
    ...settings(prompt, target),
    ...(prompt.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
  return { body };
}

function settings(prompt: Prompt, target: PromptTarget): Json {
  const { temperature, topP, stops, seed, frequencyPenalty, presencePenalty, user } = prompt;
  const known = {
    temperature,
    top_p: topP,
    stop: stops.length === 0 ? null : stops,
    seed,
    frequency_penalty: frequencyPenalty,
    presence_penalty: presencePenalty,
    response_format: prompt.format === null ? null : writeFormat(prompt.format),
    reasoning_effort: prompt.reasoning === null ? null : effortFor(target.model, prompt.reasoning),
    user: user === null ? null : shortUser(user),
    ...(isOpenAI(target.kind) ? openAISettings(prompt) : {}),
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
}

function openAISettings({ verbosity, serviceTier, cacheKey }: Prompt): Json {
  return {
    verbosity,
    service_tier: serviceTier !== null && TIERS.includes(serviceTier) ? serviceTier : null,
    prompt_cache_key: cacheKey,
  };
}

/** Still the same for the same user. */
function shortUser(user: string): string {
  if (user.length <= USER_CHARACTERS_MAX) return user;
  return new Bun.CryptoHasher("sha256").update(user).digest("hex");
}

function writeFormat(format: Format): Json | null {
  switch (format.kind) {
    case "text":
      return null;
    case "json":
      return { type: "json_object" };
    case "schema": {
      const { name, description, schema, strict } = format;
      const written = (name ?? "").replace(/[^\w-]/g, "_").slice(0, 64) || "answer";
      const told = { description, schema, strict };
      const given = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== null));
      return { type: "json_schema", json_schema: { name: written, ...given } };
    }
    default:
      return format satisfies never;
  }
}

/** A file that one provider keeps is known to no other, and this dialect has no documents by their address. */
function mediaProblem({ turns }: Prompt): Problem | null {
  for (const { parts, at } of turns) {
    const all = parts.flatMap((part): Part[] => (part.kind === "tool-result" ? part.parts : [part]));
    const kept = all.some(
      part => (part.kind === "image" || part.kind === "document") && part.source.kind === "file",
    );
    if (kept) return named(at, `has a file by its id, which ${UNABLE} know: send its data`);
    const linked = all.some(part => part.kind === "document" && part.source.kind === "url");
    if (linked) return named(at, `has a document by its URL, which ${UNABLE} fetch: send its data`);
  }
  return null;
}
