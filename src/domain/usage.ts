/** What a request used, in disjoint quantities: cached tokens are never inside `input`. */
export type Usage = {
  input: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  output: number;
  /** Part of `output`, shown for information; never billed twice. */
  reasoning: number;
};

export const NO_USAGE: Usage = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
};

/** The usage row is the hold: made open at admission, resolved exactly once. A refusal is a row that never held. */
export type UsageState = "open" | "settled" | "voided" | "interrupted" | "refused";

/** Where the numbers on a row come from. */
export type UsageSource = "reported" | "estimated" | "clamped";

/** An upstream that was asked in vain: why, and how long it took. */
export type Attempt = {
  upstream: string;
  /** Its short id; absent where the upstream needs none. */
  credential?: string;
  why: string;
  ms: number;
};

export type Dialect = "chat" | "responses" | "messages";

/** What is asked for: a conversation in one of the dialects, or one of the calls that stand beside it. */
export type Operation = Dialect | "completions" | "embeddings" | "images" | "speech" | "transcriptions";

/** The dialect in which an operation is answered and refused. */
export function dialectOf(operation: Operation): Dialect {
  return operation === "messages" || operation === "responses" ? operation : "chat";
}
