import type { z } from "zod";
import type { problem } from "../contract/form.ts";

type Told = z.output<typeof problem>["error"];
export type ProblemCode = Told["code"];

/** A call that is refused, said in a sentence for whoever made it. */
export class ConsoleProblem extends Error {
  override readonly name = "ConsoleProblem";
  readonly code: ProblemCode;
  readonly fields: Told["fields"];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ProblemCode,
    message: string,
    more: { fields?: Told["fields"]; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.code = code;
    this.fields = more.fields;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}
