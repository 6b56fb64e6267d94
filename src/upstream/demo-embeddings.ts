import type { DemoFrame } from "./demo-play.ts";
import { type DemoReply, type DemoTask, type Refuse, refusals } from "./demo-task.ts";
import { countDemoTokens, demoTokens } from "./demo-text.ts";
import { usageOf } from "./demo-usage.ts";

const DIMENSIONS = 256;
const DIMENSIONS_MAX = 4_096;
const INPUTS_MAX = 2_048;
const INPUT_CHARS_MAX = 100_000;
// So many that two words which meet on one axis still part on the others.
const STEPS_PER_WORD = 8;

/** What is to be embedded: a text, or the numbers of somebody's tokens. */
type Input = { words: readonly (string | number)[]; tokens: number };

export function answerEmbeddings(task: DemoTask): DemoReply {
  const { refuse, first } = refusals();
  const inputs = readInputs(task.body["input"], refuse);
  const dimensions = task.body["dimensions"] ?? DIMENSIONS;
  const isInRange = typeof dimensions === "number" && Number.isInteger(dimensions) && dimensions >= 1;
  if (!isInRange || dimensions > DIMENSIONS_MAX) {
    refuse("dimensions", `'dimensions' must be a whole number from 1 to ${DIMENSIONS_MAX}.`);
  }
  const format = task.body["encoding_format"] ?? "float";
  if (format !== "float" && format !== "base64") {
    refuse("encoding_format", "'encoding_format' must be float or base64.");
  }
  const refusal = first();
  if (refusal !== null) return { refusal };
  const how = { dimensions: Number(dimensions), isBase64: format === "base64" };
  return { contentType: "application/json", frames: list(task, { inputs, ...how }), framesApart: false };
}

function readInputs(input: unknown, refuse: Refuse): Input[] {
  const isOne = typeof input === "string" || (Array.isArray(input) && typeof input[0] === "number");
  const several: unknown[] = isOne ? [input] : Array.isArray(input) ? input : [];
  if (several.length === 0 || several.length > INPUTS_MAX) {
    refuse("input", `'input' must be a text, or a list of up to ${INPUTS_MAX} texts.`);
  }
  return several.slice(0, INPUTS_MAX).map((one, index) => {
    const words = wordsOf(one);
    if (words.length === 0) {
      refuse(
        isOne ? "input" : `input[${index}]`,
        `Each input must be a text of up to ${INPUT_CHARS_MAX} characters, or a list of tokens, and not empty.`,
      );
    }
    return { words, tokens: typeof one === "string" ? countDemoTokens(one) : words.length };
  });
}

function wordsOf(input: unknown): (string | number)[] {
  if (typeof input === "string") {
    return input.length > INPUT_CHARS_MAX ? [] : demoTokens(input).map(token => token.trim().toLowerCase());
  }
  const isTokens = Array.isArray(input) && input.every(one => Number.isInteger(one));
  return isTokens && input.length <= INPUT_CHARS_MAX ? input : [];
}

/** Each vector counts as a token: it can be waited for, and cut off after. */
function* list(
  task: DemoTask,
  how: { inputs: readonly Input[]; dimensions: number; isBase64: boolean },
): Generator<DemoFrame> {
  yield { text: `{"object":"list","data":[`, isToken: false };
  for (const [index, { words }] of how.inputs.entries()) {
    const vector = vectorOf(words, how.dimensions);
    const embedding = how.isBase64 ? Buffer.from(vector.buffer).toString("base64") : [...vector];
    const entry = JSON.stringify({ object: "embedding", index, embedding });
    yield { text: index === 0 ? entry : `,${entry}`, isToken: true };
  }
  const tokens = how.inputs.reduce((sum, input) => sum + input.tokens, 0);
  const usage = usageOf(
    { prompt: { tokens, marked: null }, made: { tokens: 0, thoughts: 0 } },
    { ...task.settings, isCached: false },
  );
  const counted =
    usage === null ? {} : { usage: { prompt_tokens: usage.prompt, total_tokens: usage.prompt } };
  yield { text: `],${JSON.stringify({ model: task.model, ...counted }).slice(1)}`, isToken: false };
}

/** Of length one. Each word has its own direction, so texts that share words point the same way. */
function vectorOf(words: readonly (string | number)[], dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions);
  for (const word of words) {
    for (let seed = 0; seed < STEPS_PER_WORD; seed++) {
      const hash = Bun.hash.murmur32v3(String(word), seed);
      const at = (hash >>> 1) % dimensions;
      sums[at] = (sums[at] ?? 0) + (hash & 1 ? 1 : -1);
    }
  }
  const length = Math.hypot(...sums);
  // Words may cancel each other out.
  if (length === 0) sums[0] = 1;
  return Float32Array.from(sums, sum => sum / (length || 1));
}
