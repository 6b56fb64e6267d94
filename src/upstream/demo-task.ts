import type { JsonObject } from "./demo-json.ts";
import type { DemoFrame } from "./demo-play.ts";
import type { DemoRefusal, DemoSettings } from "./demo-settings.ts";

/** Which of a provider's paths was asked. */
export type DemoPath =
  | "chat"
  | "messages"
  | "responses"
  | "count_tokens"
  | "embeddings"
  | "completions"
  | "images"
  | "speech"
  | "transcriptions";

/** A request whose settings have been read; what it says is for the path to read. */
export type DemoTask = {
  body: JsonObject;
  /** The file of a form. */
  file: DemoFile | null;
  settings: DemoSettings;
  model: string;
  createdSeconds: number;
  /** Another one for each request at each time: what ids are made of. */
  digest: string;
};

export type DemoFile = { name: string; bytes: Uint8Array };

/** What is to be played, or why not. */
export type DemoReply =
  | { contentType: string; frames: Iterator<DemoFrame>; framesApart: boolean }
  | { refusal: DemoRefusal & { code?: string } };

/** Remembers a fault; the first one decides the refusal. */
export type Refuse = (param: string, message: string) => void;

/** Collects what is wrong with a request, worded as `word` words it. */
export function refusals(word: (param: string, message: string) => string = (_, message) => message): {
  refuse: Refuse;
  first: () => DemoRefusal | null;
} {
  const found: DemoRefusal[] = [];
  const refuse: Refuse = (param, message) =>
    void (found.length === 0 && found.push({ status: 400, message: word(param, message), param }));
  return { refuse, first: () => found[0] ?? null };
}
