import { type Refusal, refusal } from "../domain/errors.ts";
import type { Dialect } from "../domain/usage.ts";

export type WrongPath = { refusal: Refusal; dialect: Dialect };

/** What clients append to a base URL by themselves. */
const OPENAI_ENDS = [
  "chat/completions",
  "responses",
  "completions",
  "embeddings",
  "models",
  "images/generations",
];
const MESSAGES_ENDS = ["messages", "messages/count_tokens"];
const AUDIO_ENDS = ["audio/speech", "audio/transcriptions"];
const ENDS = [...OPENAI_ENDS, ...AUDIO_ENDS, ...MESSAGES_ENDS];

/**
 * A path that a client made by adding what it always adds to a base URL that is not ours says so, with the value to
 * enter. Anything else is simply not there.
 */
export function wrongPath(path: string, root: string): WrongPath {
  const parts = path.split("/").filter(part => part !== "");
  const bare = parts.join("/").toLowerCase();
  const shown = path.slice(0, 200);
  const forMessages = /(^|\/)messages(\/count_tokens)?$/.test(bare);
  const dialect: Dialect = forMessages ? "messages" : "chat";
  if (!isWrongBase(bare)) {
    const params = { path: shown, openaiUrl: `${root}/v1`, messagesUrl: root };
    return { refusal: refusal("not_found", params), dialect };
  }
  const baseUrl = forMessages || bare.includes("v1beta") ? root : `${root}/v1`;
  // Claude Code hides the text of a 404 and shows that of a 405.
  const status = forMessages ? { status: 405 } : {};
  return { refusal: refusal("wrong_base_url", { path: shown, baseUrl, ...status }), dialect };
}

function isWrongBase(bare: string): boolean {
  const end = ENDS.find(known => bare === known || bare.endsWith(`/${known}`));
  const model = /(^|\/)models\/[^/]+$/.test(bare);
  if (/^(v1\/)+v1(beta)?(\/|$)/.test(bare)) return true;
  if (bare.startsWith("v1beta/")) return false;
  if (end === undefined && !model) return false;
  const base =
    end === undefined ? bare.replace(/\/?models\/[^/]+$/, "") : bare.slice(0, -end.length).replace(/\/$/, "");
  // `/v1/<end>` itself is a route, or one that is not served; whatever else stands before the end is a wrong base.
  return base !== "v1";
}
