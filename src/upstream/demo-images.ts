import { deflateSync } from "node:zlib";
import { digest } from "./demo-plan.ts";
import type { DemoFrame } from "./demo-play.ts";
import { type DemoReply, type DemoTask, refusals } from "./demo-task.ts";
import { countDemoTokens } from "./demo-text.ts";
import { usageOf } from "./demo-usage.ts";

const IMAGES_MAX = 10;
const SIDE_PIXELS = 16;
const TOKENS_PER_IMAGE = 64;

/** Small pictures of one colour, which the prompt decides. */
export function answerImages(task: DemoTask): DemoReply {
  const { prompt, n, stream, response_format: format } = task.body;
  const { refuse, first } = refusals();
  if (typeof prompt !== "string" || prompt === "") refuse("prompt", "'prompt' must be a text.");
  const count = n ?? 1;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > IMAGES_MAX) {
    refuse("n", `'n' must be a whole number from 1 to ${IMAGES_MAX}.`);
  }
  if (stream === true) refuse("stream", "The demo model does not stream pictures.");
  if (format !== undefined && format !== null && format !== "b64_json" && format !== "url") {
    refuse("response_format", "'response_format' must be b64_json or url.");
  }
  const refusal = first();
  if (refusal !== null) return { refusal };
  const how = { prompt: String(prompt), count: Number(count), isUrl: format === "url" };
  return { contentType: "application/json", frames: images(task, how), framesApart: false };
}

/** Each picture counts as a token: it can be waited for, and cut off after. */
function* images(
  task: DemoTask,
  how: { prompt: string; count: number; isUrl: boolean },
): Generator<DemoFrame> {
  yield { text: `{"created":${task.createdSeconds},"data":[`, isToken: false };
  for (let index = 0; index < how.count; index++) {
    const data = png(digest(`${how.prompt}/${index}`)).toString("base64");
    const image = how.isUrl ? { url: `data:image/png;base64,${data}` } : { b64_json: data };
    yield { text: `${index === 0 ? "" : ","}${JSON.stringify(image)}`, isToken: true };
  }
  const ending = {
    background: "opaque",
    output_format: "png",
    quality: "low",
    size: `${SIDE_PIXELS}x${SIDE_PIXELS}`,
    ...usageField(task, how),
  };
  yield { text: `],${JSON.stringify(ending).slice(1)}`, isToken: false };
}

function usageField(task: DemoTask, how: { prompt: string; count: number }): object {
  const tokens = countDemoTokens(how.prompt);
  const made = { tokens: how.count * TOKENS_PER_IMAGE, thoughts: 0 };
  const usage = usageOf({ prompt: { tokens, marked: null }, made }, { ...task.settings, isCached: false });
  if (usage === null) return {};
  return {
    usage: {
      input_tokens: usage.prompt,
      input_tokens_details: { image_tokens: 0, text_tokens: tokens },
      output_tokens: usage.completion,
      output_tokens_details: { image_tokens: made.tokens, text_tokens: 0 },
      total_tokens: usage.total,
    },
  };
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const EIGHT_BIT_RGB = [8, 2, 0, 0, 0];

function png(colour: string): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(SIDE_PIXELS, 0);
  size.writeUInt32BE(SIDE_PIXELS, 4);
  const pixel = [...Buffer.from(colour.slice(0, 6), "hex")];
  const row = [0, ...Array.from({ length: SIDE_PIXELS }, () => pixel).flat()];
  const rows = Buffer.from(Array.from({ length: SIDE_PIXELS }, () => row).flat());
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", Buffer.concat([size, Buffer.from(EIGHT_BIT_RGB)])),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(Bun.hash.crc32(content), 4);
  return Buffer.concat([ends.subarray(0, 4), content, ends.subarray(4)]);
}
