import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { type CatalogueEntry, catalogue, fill, type Reason, reasons, refusal } from "./errors.ts";

/** The refusals as the outside may rely on them: one line for each, written by hand and not taken from the code. */
const CONTRACT: Record<Reason, Line> = {
  ...lines(["key_missing", "key_malformed", "key_is_provider_key", "key_unknown"], {
    status: 401,
    openai: ["invalid_request_error", "invalid_api_key"],
    messages: "authentication_error",
    cause: "incomplete_key",
  }),
  ...lines(["key_disabled", "key_expired", "key_deleted", "key_replaced", "account_disabled"], {
    status: 401,
    openai: ["invalid_request_error", "invalid_api_key"],
    messages: "authentication_error",
    cause: "key_state",
  }),
  ...lines(["group_disabled", "group_not_allowed", "model_not_in_group", "model_unpriced"], {
    status: 403,
    openai: ["invalid_request_error", "model_not_found"],
    messages: "permission_error",
    cause: "group_unavailable",
  }),
  ...lines(
    ["balance_exhausted", "subscription_exhausted", "key_quota_exhausted", "account_limit_exhausted"],
    {
      status: 402,
      openai: ["insufficient_quota", "insufficient_quota"],
      messages: "billing_error",
      cause: "balance_or_quota",
    },
  ),
  ...lines(["rate_limited", "concurrency_limited"], {
    status: 429,
    openai: ["rate_limit_error", "rate_limit_exceeded"],
    messages: "rate_limit_error",
    cause: "limits",
  }),
  wrong_base_url: {
    status: 404,
    openai: ["invalid_request_error", "unknown_url"],
    messages: "invalid_request_error",
    cause: "wrong_base_url",
  },
  not_found: {
    status: 404,
    openai: ["invalid_request_error", "unknown_url"],
    messages: "not_found_error",
    cause: "request",
  },
  request_invalid: request(400, "invalid_request_error"),
  body_too_large: request(413, "request_too_large"),
  unsupported_media_type: request(415, "invalid_request_error"),
  upstream_failed: server(502, "upstream"),
  upstream_timeout: server(504, "upstream"),
  ...lines(["upstream_overloaded", "no_upstream"], {
    status: 503,
    messagesStatus: 529,
    openai: ["server_error", null],
    messages: "overloaded_error",
    cause: "upstream",
  }),
  // Decision 0007 added these two to the others of their kind.
  store_unavailable: server(503, "gateway"),
  gateway_overloaded: server(503, "gateway"),
  gateway_failed: server(500, "gateway"),
  draining: server(503, "gateway"),
};

type Line = {
  status: number;
  messagesStatus?: number;
  openai: [type: string, code: string | null];
  messages: string;
  cause: string;
};

function lines<R extends Reason>(names: readonly R[], line: Line): Record<R, Line> {
  return Object.fromEntries(names.map(name => [name, line])) as Record<R, Line>;
}

function request(status: number, messages: string): Line {
  return { status, openai: ["invalid_request_error", null], messages, cause: "request" };
}

function server(status: number, cause: string): Line {
  return { status, openai: ["server_error", null], messages: "api_error", cause };
}

describe("the catalogue", () => {
  test("has exactly the refusals of the contract", () => {
    expect(reasons.toSorted()).toEqual((Object.keys(CONTRACT) as Reason[]).toSorted());
  });

  for (const reason of reasons) {
    const { status, openai, messages, cause, message, remedy } = catalogue[reason];

    test(`gives ${reason} the status, types and cause of the contract`, () => {
      const line: Line = { status, openai: [openai.type, openai.code], messages: messages.type, cause };
      if (messages.status !== undefined) line.messagesStatus = messages.status;
      expect(line).toEqual(CONTRACT[reason]);
    });

    test(`speaks of ${reason} in whole sentences`, () => {
      for (const sentence of [message, remedy]) {
        expect(sentence).toMatch(/^(\p{Lu}|\{\w+\})/u);
        expect(sentence).toMatch(/\.$/);
        expect(sentence).not.toMatch(/\s{2}|\n|^\s|\s$/);
      }
    });

    test(`leaves no place of ${reason} empty when it is given its params`, () => {
      for (const template of [message, remedy]) {
        const filled = fill(template, paramsOf(template));
        expect(filled).not.toMatch(/[{}]/);
        for (const value of Object.values(paramsOf(template))) expect(filled).toContain(value);
      }
    });
  }
});

function paramsOf(template: string): Record<string, string> {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(match => match[1] ?? "");
  return Object.fromEntries(names.map(name => [name, `<${name}>`]));
}

describe("fill", () => {
  test("takes numbers, fills a place that comes twice, and passes over params without a place", () => {
    expect(fill("{n} of {n}.", { n: 0, other: "x" })).toBe("0 of 0.");
  });

  test("leaves a place without its param visible", () => {
    expect(fill("The key “{key}” is disabled.", {})).toBe("The key “{key}” is disabled.");
  });

  test("does not look for places in what it fills in", () => {
    expect(fill("{a} {b}.", { a: "{b}", b: "$&" })).toBe("{b} $&.");
  });
});

test("a refusal is a value with its particulars, none where none are given", () => {
  expect(refusal("draining")).toEqual({ reason: "draining", params: {} });
  expect(refusal("rate_limited", { limit: 60 })).toEqual({ reason: "rate_limited", params: { limit: 60 } });
});

describe("docs/errors.md", () => {
  const documented = readDocument(readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8"));

  test("has a section for each reason and for no other, and none twice", () => {
    expect(documented.map(({ reason }) => reason).toSorted()).toEqual(reasons.toSorted());
  });

  for (const { reason, fields } of documented) {
    test(`says of ${reason} what the catalogue says`, () => {
      const entry = (catalogue as Readonly<Record<string, CatalogueEntry>>)[reason];
      expect(fields).toEqual(entry === undefined ? {} : fieldsOf(entry));
    });
  }
});

type Section = { reason: string; fields: Record<string, string> };

/** A section is a heading of the third level that is a name in code, and the table below it. */
function readDocument(text: string): Section[] {
  const [, ...sections] = text.split(/^### /m);
  return sections.map(section => {
    const [heading = "", ...rest] = section.split("\n");
    const ownLines = rest.slice(
      0,
      indexOrEnd(rest, line => line.startsWith("#")),
    );
    const rows = ownLines.map(line => /^\| ([^|]+) \| ([^|]+) \|$/.exec(line)).filter(row => row !== null);
    return { reason: heading.replaceAll("`", ""), fields: Object.fromEntries(rows.map(row => row.slice(1))) };
  });
}

function indexOrEnd(rows: readonly string[], matches: (row: string) => boolean): number {
  const at = rows.findIndex(matches);
  return at < 0 ? rows.length : at;
}

function fieldsOf({ status, openai, messages, cause, message, remedy }: CatalogueEntry): Section["fields"] {
  return {
    Status: String(status),
    ...(messages.status === undefined ? {} : { "Messages status": String(messages.status) }),
    "OpenAI type": `\`${openai.type}\``,
    "OpenAI code": `\`${openai.code}\``,
    "Messages type": `\`${messages.type}\``,
    Cause: `\`${cause}\``,
    Message: message,
    Remedy: remedy,
  };
}
