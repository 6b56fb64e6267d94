import { describe, expect, test } from "bun:test";
import { UpstreamFailure } from "../upstream/answer.ts";
import { failureRefusal, judge } from "./judge.ts";

const MODEL = "gpt-5";
const verdict = (status: number, headers: Record<string, string> = {}) =>
  judge({ status, headers: new Map(Object.entries(headers)) }, MODEL);

describe("an upstream's status", () => {
  test.each([200, 201, 204, 299])("%i is good", status => expect(verdict(status)).toEqual({ kind: "good" }));

  test.each([400, 422])("%i is the client's fault, and the client's to read", status =>
    expect(verdict(status)).toEqual({ kind: "clients-fault" }),
  );

  // A wrong credential, an empty purse or a moved address of the operator's are not the client's to mend.
  test.each([100, 199, 300, 301, 302, 307, 401, 402, 403, 404, 405, 409, 413, 451, 500, 501, 502, 520, 599])(
    "%i is a failure of the upstream",
    status =>
      expect(verdict(status)).toEqual({
        kind: "failed",
        refusal: { reason: "upstream_failed", params: { model: MODEL } },
      }),
  );

  test.each([408, 504])("%i is an upstream out of time", status =>
    expect(verdict(status)).toEqual({
      kind: "failed",
      refusal: { reason: "upstream_timeout", params: { model: MODEL } },
    }),
  );

  test.each([429, 503, 529])("%i is an overloaded upstream", status =>
    expect(verdict(status)).toEqual({
      kind: "failed",
      refusal: { reason: "upstream_overloaded", params: { model: MODEL, seconds: 5 } },
    }),
  );
});

test.each([
  ["7", 7],
  ["0.2", 1],
  ["1.5", 2],
  ["3600", 3_600],
  ["86400", 3_600],
  ["1e30", 3_600],
  ["0", 5],
  ["-3", 5],
  ["", 5],
  ["soon", 5],
  ["NaN", 5],
  ["Infinity", 5],
  ["7, 7", 5],
  ["Wed, 21 Oct 2026 07:28:00 GMT", 3_600],
])("retry-after %j is taken as %i whole seconds", (given, seconds) => {
  for (const status of [429, 503, 529]) {
    expect(verdict(status, { "retry-after": given })).toMatchObject({ refusal: { params: { seconds } } });
  }
});

describe("a failure", () => {
  test.each(["connect-timeout", "first-byte-timeout", "idle-timeout"] as const)("%s is out of time", kind =>
    expect(failureRefusal(new UpstreamFailure(kind, "secret host"), MODEL)).toEqual({
      reason: "upstream_timeout",
      params: { model: MODEL },
    }),
  );

  test.each(["connect", "cut", "protocol", "limit"] as const)(
    "%s is a failure, told without its detail",
    kind =>
      expect(failureRefusal(new UpstreamFailure(kind, "secret host"), MODEL)).toEqual({
        reason: "upstream_failed",
        params: { model: MODEL },
      }),
  );
});
