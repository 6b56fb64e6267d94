/** What may stand behind the ? of an address. Whatever is not of its form is dropped, never shown. */

type Raw = Record<string, unknown>;

const TEXT_MAX = 256;

function text(value: unknown, max = TEXT_MAX): string | undefined {
  // A number in an address is read as one: a model may be called 4.
  const given = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  return typeof given === "string" && given !== "" && given.length <= max ? given : undefined;
}

function whole(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}

function one<const V extends string>(value: unknown, of: readonly V[]): V | undefined {
  return of.find(candidate => candidate === value);
}

function day(value: unknown): string | undefined {
  const given = text(value, 10);
  return given !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(Date.parse(given))
    ? given
    : undefined;
}

/**
 * Every field stands in it, undefined where it has no value: the router lays this over what the address really has, so
 * that a field left out would come through as it was typed.
 */
function present<T extends Raw>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return given as { [K in keyof T]?: Exclude<T[K], undefined> };
}

export const usageSearch = (raw: Raw) =>
  present({
    range: one(raw["range"], ["today", "7d", "30d", "90d"]),
    /** Days, both included, in place of `range`. */
    from: day(raw["from"]),
    to: day(raw["to"]),
    key: text(raw["key"], 64),
    model: text(raw["model"]),
    outcome: one(raw["outcome"], ["running", "ok", "stopped", "failed", "refused"]),
    tool: text(raw["tool"], 128),
    by: one(raw["by"], ["key", "model"]),
    chart: one(raw["chart"], ["cost", "tokens", "requests", "errors"]),
    /** The request whose receipt is open. */
    receipt: text(raw["receipt"], 64),
  });

/** The same over all accounts. */
export const operatorUsageSearch = (raw: Raw) =>
  present({
    ...usageSearch(raw),
    account: text(raw["account"], 64),
    upstream: text(raw["upstream"], 100),
    by: one(raw["by"], ["account", "upstream", "model"]),
    chart: one(raw["chart"], ["cost", "our_cost", "margin", "tokens", "requests", "errors"]),
  });

export const keysSearch = (raw: Raw) =>
  present({
    q: text(raw["q"]),
    state: one(raw["state"], ["active", "disabled", "expired", "deleted"]),
    group: text(raw["group"], 64),
    /** The dialog that is open, and for which key. */
    show: one(raw["show"], ["create", "use", "edit", "rotate", "delete", "import"]),
    key: text(raw["key"], 64),
    client: text(raw["client"], 64),
    /** A column, with a minus where downwards. */
    sort: text(raw["sort"], 32),
  });

export const modelsSearch = (raw: Raw) =>
  present({
    q: text(raw["q"]),
    group: text(raw["group"], 64),
    model: text(raw["model"]),
    sort: text(raw["sort"], 32),
  });

export const checkSearch = (raw: Raw) =>
  present({ model: text(raw["model"]), style: one(raw["style"], ["openai", "messages"]) });

export const accountSearch = (raw: Raw) =>
  present({ tab: one(raw["tab"], ["money", "ledger", "profile", "security", "sessions"]) });

export const accountsSearch = (raw: Raw) =>
  present({
    q: text(raw["q"]),
    role: one(raw["role"], ["holder", "operator"]),
    state: one(raw["state"], ["enabled", "disabled"]),
    sort: text(raw["sort"], 32),
    /** Whose panel is open, and which part of it. */
    account: text(raw["account"], 64),
    part: one(raw["part"], ["keys", "ledger"]),
  });

export const overviewSearch = (raw: Raw) =>
  present({ range: one(raw["range"], ["day", "week", "month", "quarter", "year"]) });

export const upstreamsSearch = (raw: Raw) =>
  present({
    q: text(raw["q"]),
    state: one(raw["state"], ["ok", "resting", "rejected", "paused", "unused"]),
    /** Whose panel is open, and which part of it. */
    upstream: text(raw["upstream"], 64),
    part: one(raw["part"], ["models", "keys", "health"]),
    show: one(raw["show"], ["add"]),
  });

export const settingsSearch = (raw: Raw) =>
  present({ tab: one(raw["tab"], ["sign-in", "mail", "keys", "log"]) });

export const webhooksSearch = (raw: Raw) =>
  present({
    /** Whose panel is open, and which of its deliveries are listed. */
    webhook: text(raw["webhook"], 64),
    state: one(raw["state"], ["waiting", "delivered", "given_up"]),
  });

export const codesSearch = (raw: Raw) =>
  present({ state: one(raw["state"], ["open", "redeemed", "expired"]) });

export const auditSearch = (raw: Raw) =>
  present({
    by: text(raw["by"]),
    noun: text(raw["noun"], 32),
    name: text(raw["name"]),
    range: one(raw["range"], ["today", "7d", "30d", "90d"]),
    from: day(raw["from"]),
    to: day(raw["to"]),
    /** The number of the entry that is open. */
    entry: whole(raw["entry"]),
  });

export const apiSearch = (raw: Raw) =>
  present({
    q: text(raw["q"]),
    /** The endpoint that is open, such as `GET /keys`. */
    call: text(raw["call"], 128),
  });

export const trySearch = (raw: Raw) =>
  present({
    key: text(raw["key"], 64),
    model: text(raw["model"]),
    dialect: one(raw["dialect"], ["chat", "responses", "messages"]),
  });

export const operatorModelsSearch = (raw: Raw) =>
  present({
    q: text(raw["q"]),
    only: one(raw["only"], ["unpriced", "unserved"]),
    upstream: text(raw["upstream"], 64),
    sort: text(raw["sort"], 32),
    /** The model whose panel is open, and the dialog over it. */
    model: text(raw["model"], 64),
    show: one(raw["show"], ["add", "import"]),
  });

export const operatorGroupsSearch = (raw: Raw) =>
  present({
    q: text(raw["q"]),
    sort: text(raw["sort"], 32),
    /** The group that is edited. */
    group: text(raw["group"], 64),
    show: one(raw["show"], ["create"]),
  });

export const operatorPlansSearch = (raw: Raw) =>
  present({
    sort: text(raw["sort"], 32),
    /** The plan whose panel is open. */
    plan: text(raw["plan"], 64),
    show: one(raw["show"], ["create"]),
  });

/** Where to go after signing in: a path of the console itself and nothing else. */
export function isOwnPath(path: unknown): path is string {
  return (
    typeof path === "string" &&
    /^\/(?![/\\])/.test(path) &&
    !path.startsWith("/sign-in") &&
    path.length < 2048
  );
}

export const signInSearch = (raw: Raw) =>
  present({
    to: isOwnPath(raw["to"]) ? raw["to"] : undefined,
    /** The session ended under an open page. */
    ended: raw["ended"] === true ? true : undefined,
    /** The password is forgotten, and a link is asked for. */
    forgot: raw["forgot"] === true ? true : undefined,
  });
