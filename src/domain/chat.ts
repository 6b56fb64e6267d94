import type { Dialect, Usage } from "./usage.ts";

/**
 * The neutral form: a conversation with a model in no dialect. Traffic between two dialects goes through it; traffic
 * that stays in one does not. What a dialect cannot say is null here, never a guess.
 */
export type Prompt = {
  model: string;
  stream: boolean;
  /** The client wants the usage inside its stream. */
  wantsUsage: boolean;
  turns: Turn[];
  tools: Tool[];
  toolChoice: ToolChoice | null;
  parallelTools: boolean | null;
  outputTokensMax: number | null;
  temperature: number | null;
  topP: number | null;
  topK: number | null;
  stops: string[];
  format: Format | null;
  reasoning: ReasoningAsk | null;
  verbosity: string | null;
  /** Whom the client says it asks for. */
  user: string | null;
  seed: number | null;
  frequencyPenalty: number | null;
  presencePenalty: number | null;
  serviceTier: string | null;
  /** A cache mark on the whole request. */
  cache: CacheMark | null;
  /** Requests with the same one are likely to share a prefix. */
  cacheKey: string | null;
};

/** One that asks for nothing beyond its turns. */
export function plainPrompt(model: string, turns: Turn[]): Prompt {
  return {
    model,
    stream: false,
    wantsUsage: true,
    turns,
    tools: [],
    toolChoice: null,
    parallelTools: null,
    outputTokensMax: null,
    temperature: null,
    topP: null,
    topK: null,
    stops: [],
    format: null,
    reasoning: null,
    verbosity: null,
    user: null,
    seed: null,
    frequencyPenalty: null,
    presencePenalty: null,
    serviceTier: null,
    cache: null,
    cacheKey: null,
  };
}

/** Whose words. Instructions may stand anywhere, and stay where they stand. */
export type Turn = {
  role: "system" | "developer" | "user" | "assistant";
  parts: Part[];
  /** Where the client wrote it, for the sentence that refuses it: `messages[2]`. */
  at: string;
};

/** Tool results stand in a user's turn, calls and reasoning in an assistant's. */
export type Part =
  | TextPart
  | ReasoningPart
  | RefusalPart
  | ImagePart
  | DocumentPart
  | AudioPart
  | ToolCallPart
  | ToolResultPart
  | ForeignPart;

export type TextPart = {
  kind: "text";
  text: string;
  citations: Citation[];
  cache: CacheMark | null;
};

/** What the model thought. */
export type ReasoningPart = {
  kind: "reasoning";
  /** What may be read of it; empty where its maker hides it. */
  text: string;
  seal: Seal | null;
};

/** What only its maker understands, and wants back unchanged. It is given to upstreams of its own dialect alone. */
export type Seal = {
  origin: Dialect;
  /** A signature stands beside the readable text, a ciphertext in its place. */
  kind: "signature" | "ciphertext";
  value: string;
  /** The maker's own id for the part, where it wants it back too. */
  id: string | null;
};

export type RefusalPart = { kind: "refusal"; text: string };

export type ImagePart = {
  kind: "image";
  source: MediaSource;
  detail: string | null;
  cache: CacheMark | null;
};

export type DocumentPart = {
  kind: "document";
  source: MediaSource | { kind: "text"; text: string };
  name: string | null;
  cache: CacheMark | null;
};

export type AudioPart = { kind: "audio"; data: string; format: string };

export type MediaSource =
  | { kind: "data"; mediaType: string; data: string }
  | { kind: "url"; url: string }
  /** Kept by one provider, and known to no other. */
  | { kind: "file"; id: string };

export type ToolCallPart = {
  kind: "tool-call";
  id: string;
  name: string;
  /** A function's arguments as JSON text; a custom tool's input as it is. */
  input: string;
  tool: "function" | "custom";
  namespace: string | null;
  cache: CacheMark | null;
};

export type ToolResultPart = {
  kind: "tool-result";
  id: string;
  /** Text, images and documents only. */
  parts: (TextPart | ImagePart | DocumentPart)[];
  isError: boolean;
  cache: CacheMark | null;
};

/** A part that only its own dialect has, such as a search that the provider ran. It is left out, and listed as such. */
export type ForeignPart = { kind: "foreign"; type: string };

export type Citation = { url: string; title: string | null; quote: string | null };

/** Up to here the provider may keep the prompt. Null is its own default time. */
export type CacheMark = { ttl: string | null };

export type Tool =
  | {
      kind: "function";
      name: string;
      description: string | null;
      /** A JSON schema; null where none was given. */
      schema: unknown;
      strict: boolean | null;
      namespace: string | null;
      cache: CacheMark | null;
    }
  /** Takes free text; the format may hold a grammar. */
  | { kind: "custom"; name: string; description: string | null; format: unknown; cache: CacheMark | null }
  /** Run by the provider, or built into its models: only its own dialect has it. */
  | { kind: "hosted"; type: string; name: string | null };

export type ToolChoice =
  | { kind: "auto" | "none" | "required" }
  | { kind: "named"; name: string }
  | { kind: "allowed"; mode: "auto" | "required"; names: string[] };

export type Format =
  | { kind: "text" | "json" }
  | {
      kind: "schema";
      name: string | null;
      description: string | null;
      schema: unknown;
      strict: boolean | null;
    };

export type ReasoningAsk = {
  /** none, minimal, low, medium, high, xhigh, max. */
  effort: string | null;
  budgetTokens: number | null;
  /** Whether what was thought is to be told; null where the client did not say. */
  shows: boolean | null;
};

/** What a model answered, whole. */
export type Reply = {
  id: string;
  model: string;
  createdSeconds: number | null;
  parts: ReplyPart[];
  stop: Stop;
  /** Null where the upstream reported none that can be believed. */
  usage: Usage | null;
};

export type ReplyPart = TextPart | ReasoningPart | RefusalPart | ToolCallPart | ForeignPart;

export type Stop = { reason: StopReason; raw: string | null; sequence: string | null };

/** Unknown is not an end: it is told as such. */
export type StopReason =
  | "end"
  | "length"
  | "tool-calls"
  | "stop-sequence"
  | "refusal"
  | "filter"
  | "pause"
  | "context-full"
  | "unknown";

/**
 * The same answer as it comes: first a start, then parts, which may overlap, last one end or one failure. Every part
 * that starts also ends. Folded together they are the Reply.
 */
export type ReplyEvent =
  | { kind: "start"; id: string; model: string; createdSeconds: number | null; usage: Usage | null }
  | { kind: "part-start"; index: number; part: PartStart }
  /** More text, reasoning, refusal or tool input. */
  | { kind: "part-delta"; index: number; text: string }
  | { kind: "part-seal"; index: number; seal: Seal }
  | { kind: "part-citation"; index: number; citation: Citation }
  | { kind: "part-end"; index: number }
  | { kind: "end"; stop: Stop; usage: Usage | null }
  /** The upstream says that it failed. Its text is for the log. */
  | { kind: "failure"; message: string };

export type PartStart =
  | { kind: "text" | "reasoning" | "refusal" }
  | { kind: "tool-call"; id: string; name: string; tool: "function" | "custom"; namespace: string | null }
  | { kind: "foreign"; type: string };
