/** A link of the chain of checks, as `GET /v1/key` tells it. */
export type KeyCheck = {
  step: string;
  ok: boolean;
  reason?: string;
  cause?: string;
  message?: string;
  remedy?: string;
};
