import { ContentMeter } from "../content-meter.ts";

const FIELDS = ['"content"', '"reasoning_content"', '"reasoning"', '"arguments"', '"refusal"'].map(field =>
  Buffer.from(field),
);

/** Measures text, reasoning and tool arguments in the bytes of a chat answer or of its stream. */
export function chatMeter(sampleBytesMax: number): ContentMeter {
  return new ContentMeter(FIELDS, sampleBytesMax);
}
