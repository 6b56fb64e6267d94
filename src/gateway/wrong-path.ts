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
  const bare = withoutOuterSlashes(path);
  const shown = path.slice(0, 200);
  const forMessages = /(^|\/)messages(\/count_tokens)?$/i.test(bare);
  const dialect: Dialect = forMessages ? "messages" : "chat";
  if (!isWrongBase(bare)) {
    const params = { path: shown, openaiUrl: `${root}/v1`, messagesUrl: root };
    return { refusal: refusal("not_found", params), dialect };
  }
  const baseUrl = forMessages || /v1beta\/+models/i.test(bare) ? root : `${root}/v1`;
  // Claude Code hides the text of a 404 and shows that of a 405.
  const status = forMessages ? { status: 405 } : {};
  return { refusal: refusal("wrong_base_url", { path: shown, baseUrl, ...status }), dialect };
}

/** One slash before, any number behind. By hand: a pattern would look at each of ten thousand slashes anew. */
function withoutOuterSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end -= 1;
  return path.slice(path.startsWith("/") ? 1 : 0, end);
}

function isWrongBase(bare: string): boolean {
  if (/^(v1\/)+v1(beta)?(\/|$)/i.test(bare)) return true;
  if (/^v1beta\/models/i.test(bare)) return false;
  const small = bare.toLowerCase();
  const known = ENDS.find(end => small === end || small.endsWith(`/${end}`));
  const end = known ?? /(?<=^|\/)models\/[^/]+$/.exec(small)?.[0];
  if (end === undefined) return false;
  // `/v1/<end>` itself is a route, or one that is not served; whatever else stands before the end is a wrong base: in
  // capitals, or with a slash too many where a base URL ended in one.
  return bare.slice(0, -end.length) !== "v1/";
}
