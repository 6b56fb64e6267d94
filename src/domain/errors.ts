/**
 * Every refusal that a client can meet. `message` is what the client's tool prints, so it is a whole sentence that
 * says what is wrong; `remedy` says what to do. `{name}` is filled from the refusal's params.
 * docs/errors.md is this table in words; a test keeps the two equal.
 */

export type Cause =
  | "incomplete_key"
  | "key_state"
  | "group_unavailable"
  | "balance_or_quota"
  | "limits"
  | "wrong_base_url"
  | "request"
  | "upstream"
  | "gateway";

type Wire = {
  status: number;
  openai: { type: string; code: string | null };
  messages: { type: string; status?: number };
};

export type CatalogueEntry = Wire & { cause: Cause; message: string; remedy: string };

const KEY: Wire = {
  status: 401,
  openai: { type: "invalid_request_error", code: "invalid_api_key" },
  messages: { type: "authentication_error" },
};
const GROUP: Wire = {
  status: 403,
  openai: { type: "invalid_request_error", code: "model_not_found" },
  messages: { type: "permission_error" },
};
const POCKET: Wire = {
  status: 402,
  openai: { type: "insufficient_quota", code: "insufficient_quota" },
  messages: { type: "billing_error" },
};
const LIMIT: Wire = {
  status: 429,
  openai: { type: "rate_limit_error", code: "rate_limit_exceeded" },
  messages: { type: "rate_limit_error" },
};
const REQUEST: Wire = {
  status: 400,
  openai: { type: "invalid_request_error", code: null },
  messages: { type: "invalid_request_error" },
};
const PATH: Wire = {
  status: 404,
  openai: { type: "invalid_request_error", code: "unknown_url" },
  messages: { type: "invalid_request_error" },
};
const SERVER: Wire = {
  status: 502,
  openai: { type: "server_error", code: null },
  messages: { type: "api_error" },
};
const OVERLOAD: Wire = {
  status: 503,
  openai: { type: "server_error", code: null },
  messages: { type: "overloaded_error", status: 529 },
};

const entries = {
  key_missing: {
    ...KEY,
    cause: "incomplete_key",
    message: "This request carries no API key.",
    remedy:
      "Set your Wicketgate key (it begins with wgk_) as the API key of your client; a key with a line break in it is dropped by some clients before it is sent.",
  },
  key_malformed: {
    ...KEY,
    cause: "incomplete_key",
    message: "The API key is not whole: {problem}.",
    remedy: "Copy the whole key again, without quotes or spaces, or make a new one in the console.",
  },
  key_is_provider_key: {
    ...KEY,
    cause: "incomplete_key",
    message: "This is a key of {provider}, not a Wicketgate key.",
    remedy:
      "Put your Wicketgate key (it begins with wgk_) into {setting}, and remove the {provider} key from this client.",
  },
  key_unknown: {
    ...KEY,
    cause: "incomplete_key",
    message: "This API key is not known here.",
    remedy:
      "Check that the key was made on this installation and that the base URL is the one shown beside it.",
  },
  key_disabled: {
    ...KEY,
    cause: "key_state",
    message: "The key “{key}” is disabled.",
    remedy: "Enable it in the console, or use another key.",
  },
  key_expired: {
    ...KEY,
    cause: "key_state",
    message: "The key “{key}” expired on {expired}.",
    remedy: "Move its expiry in the console, or use another key.",
  },
  key_deleted: {
    ...KEY,
    cause: "key_state",
    message: "The key “{key}” was deleted.",
    remedy: "Make a new key in the console and put it into this client.",
  },
  key_replaced: {
    ...KEY,
    cause: "key_state",
    message: "The key “{key}” has a new string, and the one in this client has not worked since {ended}.",
    remedy: "Put the new string into this client, or rotate the key again in the console where it is lost.",
  },
  account_disabled: {
    ...KEY,
    cause: "key_state",
    message: "The account of this key is disabled.",
    remedy: "Ask the operator of this installation to enable the account.",
  },
  group_disabled: {
    ...GROUP,
    cause: "group_unavailable",
    message: "The group “{group}” of this key is disabled.",
    remedy: "Move the key to another group in the console, or ask the operator.",
  },
  group_not_allowed: {
    ...GROUP,
    cause: "group_unavailable",
    message: "The group “{group}” of this key is no longer open to this account.",
    remedy: "Move the key to another group in the console, or ask the operator to open the group to it.",
  },
  model_not_in_group: {
    ...GROUP,
    cause: "group_unavailable",
    message: "The model “{model}” is not in the group “{group}” of this key; the group has: {models}.",
    remedy: "Choose one of these models in your client, or move the key to a group that has the model.",
  },
  model_unpriced: {
    ...GROUP,
    cause: "group_unavailable",
    message: "The model “{model}” has no price yet, so it cannot be used.",
    remedy: "Ask the operator to set a price for it, or choose another model.",
  },
  balance_exhausted: {
    ...POCKET,
    cause: "balance_or_quota",
    message:
      "The account balance does not pay for this request: {available} USD are free and it needs up to {needed} USD{also}.",
    remedy: "Add balance to the account, or ask for fewer output tokens.",
  },
  subscription_exhausted: {
    ...POCKET,
    cause: "balance_or_quota",
    message:
      "The subscription of this account does not pay for this request: {state}, and it needs up to {needed} USD.",
    remedy: "Wait until the subscription fills again, or move the key to a group that is paid by balance.",
  },
  key_quota_exhausted: {
    ...POCKET,
    cause: "balance_or_quota",
    message:
      "The quota of the key “{key}” does not pay for this request: {available} USD are left of {quota} USD{period} and it needs up to {needed} USD.",
    remedy: "Raise the quota of this key in the console, use another key, or ask for fewer output tokens.",
  },
  account_limit_exhausted: {
    ...POCKET,
    cause: "balance_or_quota",
    message:
      "The account of this key may spend {limit} USD a {period}: {available} USD are left until {refills} and this request needs up to {needed} USD.",
    remedy: "Wait until then, ask the operator to raise the limit, or ask for fewer output tokens.",
  },
  rate_limited: {
    ...LIMIT,
    cause: "limits",
    message: "{whose} has used its {limit} {what} per minute.",
    remedy: "Wait {seconds} s, or raise the limit in the console.",
  },
  concurrency_limited: {
    ...LIMIT,
    cause: "limits",
    message: "{whose} already has {limit} requests running, which is its limit.",
    remedy: "Wait for one of them to end, or raise the limit in the console.",
  },
  wrong_base_url: {
    ...PATH,
    cause: "wrong_base_url",
    message: "There is nothing at {path}: the base URL of this client is wrong. Enter {baseUrl} instead.",
    remedy: "Set the base URL to {baseUrl}; the client adds the rest of the path by itself.",
  },
  not_found: {
    ...PATH,
    messages: { type: "not_found_error" },
    cause: "request",
    message: "There is nothing at {path}.",
    remedy: "OpenAI-style clients use the base URL {openaiUrl}, messages-style clients {messagesUrl}.",
  },
  request_invalid: {
    ...REQUEST,
    cause: "request",
    message: "The request is not valid: {problem}.",
    remedy: "Correct the request and send it again.",
  },
  body_too_large: {
    ...REQUEST,
    status: 413,
    messages: { type: "request_too_large" },
    cause: "request",
    message: "The request body is larger than {limit} MiB.",
    remedy: "Send less: shorten the conversation, or shrink the images or the file in it.",
  },
  unsupported_media_type: {
    ...REQUEST,
    status: 415,
    cause: "request",
    message: "The request body is of a kind that is not understood here: {found}.",
    remedy: "Send JSON, or a form where the path takes one, with its content-type and no content-encoding.",
  },
  upstream_failed: {
    ...SERVER,
    cause: "upstream",
    message: "The upstream that serves “{model}” failed to answer this request.",
    remedy: "Try again; if it stays so, tell the operator the request id.",
  },
  upstream_timeout: {
    ...SERVER,
    status: 504,
    cause: "upstream",
    message: "The upstream that serves “{model}” did not answer in time.",
    remedy: "Try again; if it stays so, tell the operator the request id.",
  },
  upstream_overloaded: {
    ...OVERLOAD,
    cause: "upstream",
    message: "The upstream that serves “{model}” is overloaded.",
    remedy: "Wait {seconds} s and try again.",
  },
  no_upstream: {
    ...OVERLOAD,
    cause: "upstream",
    message: "No upstream serves “{model}” at the moment.",
    remedy: "Try again in {seconds} s, or choose another model; the operator can connect an upstream for it.",
  },
  store_unavailable: {
    ...SERVER,
    status: 503,
    cause: "gateway",
    message: "The gateway cannot reach its database, so it takes no requests.",
    remedy: "Try again in {seconds} s.",
  },
  gateway_failed: {
    ...SERVER,
    status: 500,
    cause: "gateway",
    message: "The gateway failed on this request, and the fault is its own.",
    remedy: "Try again; if it stays so, tell the operator the request id.",
  },
  gateway_overloaded: {
    ...SERVER,
    status: 503,
    cause: "gateway",
    message: "The gateway has {limit} requests running, which is its limit.",
    remedy: "Try again in {seconds} s.",
  },
  draining: {
    ...SERVER,
    status: 503,
    cause: "gateway",
    message: "This gateway process is shutting down and takes no new requests.",
    remedy: "Try again in {seconds} s.",
  },
} as const satisfies Record<string, CatalogueEntry>;

export type Reason = keyof typeof entries;
export const catalogue: Readonly<Record<Reason, CatalogueEntry>> = entries;
export const reasons = Object.keys(entries) as Reason[];

export type RefusalParams = Readonly<Record<string, string | number>>;

/** A refusal is a value: what is wrong, with the particulars that fill its sentence. */
export type Refusal = { reason: Reason; params: RefusalParams };

export function refusal(reason: Reason, params: RefusalParams = {}): Refusal {
  return { reason, params };
}

/** The sentence a person reads. An unfilled place is a mistake of ours and is left visible to the tests. */
export function fill(template: string, params: RefusalParams): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}
