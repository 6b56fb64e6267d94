import { type Asked, isMessagesPath, type Preset, type UpstreamPath } from "./preset.ts";

/** Behind a base URL that ends in its version. */
export const PATHS: Readonly<Record<UpstreamPath, string>> = {
  chat: "/chat/completions",
  responses: "/responses",
  messages: "/messages",
  count_tokens: "/messages/count_tokens",
  completions: "/completions",
  embeddings: "/embeddings",
  images: "/images/generations",
  speech: "/audio/speech",
  transcriptions: "/audio/transcriptions",
};

/** The whole address of a request; null where such a one cannot be made. */
export function addressFor(preset: Preset, asked: Asked): string | null {
  return preset.address === undefined ? baseOf(preset, asked) + PATHS[asked.path] : preset.address(asked);
}

/** For sentences: as far as it is known. */
export function addressOf(preset: Preset, asked: Asked): string {
  return addressFor(preset, asked) ?? asked.baseUrl;
}

/** Where the models are listed; null where nothing lists them. */
export function modelsAddress(preset: Preset, baseUrl: string): string | null {
  if (preset.modelsPath === null) return null;
  const path = preset.speaks.includes("chat") ? "chat" : "messages";
  return baseOf(preset, { baseUrl, path }) + preset.modelsPath;
}

type Where = Pick<Asked, "baseUrl" | "path">;

/** Messages-style addresses are written without the version, OpenAI-style ones with it. */
function baseOf(preset: Preset, { baseUrl, path }: Where): string {
  const { chat, messages } = basesOf(preset, baseUrl);
  if (!isMessagesPath(path)) return chat;
  return messages.endsWith("/v1") ? messages : `${messages}/v1`;
}

/**
 * A base URL of the operator's may be that of another region, or of a host alone: what is known of the path is added to
 * a host. Where a maker has two addresses, either one tells the other.
 */
function basesOf(
  { baseUrl: known, messagesPath }: Preset,
  given: string,
): { chat: string; messages: string } {
  if (known === null) return { chat: given, messages: given };
  const chatPath = new URL(known).pathname.replace(/\/$/, "");
  const { origin, pathname } = new URL(given);
  const chat = pathname === "/" ? origin + chatPath : given;
  if (messagesPath === undefined) return { chat, messages: chat };
  const withoutVersion = given.replace(/\/v1$/, "");
  if (withoutVersion.endsWith(messagesPath)) {
    return { chat: withoutVersion.slice(0, -messagesPath.length) + chatPath, messages: withoutVersion };
  }
  const isKnown = chatPath !== "" && chat.endsWith(chatPath);
  const before = isKnown ? chat.slice(0, -chatPath.length) : origin;
  return { chat, messages: before + messagesPath };
}
