import { isEmail } from "../domain/account.ts";
import { isId } from "../domain/ids.ts";
import { USAGE_PAGE_MAX, type UsageEntry } from "../store/usage.ts";
import { readCount, usd } from "./amount.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { UsageProblem } from "./problem.ts";
import { withSession } from "./session.ts";
import { table, timeText } from "./table.ts";

const LIMIT_DEFAULT = 50;
const TOOL_CHARACTERS_MAX = 40;

export const usageCommand: Command = {
  name: "usage",
  summary: "list what was requested, newest first, with its tokens and cost",
  positionals: [],
  options: {
    key: { value: "ID", meaning: "of this key alone" },
    account: { value: "EMAIL", meaning: "of this account alone" },
    limit: { value: "N", meaning: `so many rows, ${LIMIT_DEFAULT} without this, at most ${USAGE_PAGE_MAX}` },
    before: { value: "ID", meaning: "older than this row: the id of the last row of the page before" },
  },
  run: usage,
};

async function usage(call: Call): Promise<number> {
  const keyId = call.text("key");
  if (keyId !== null && !isId("key", keyId)) {
    throw new UsageProblem(
      "--key takes the id of a key, which begins with key_, and not its string or name.",
    );
  }
  const email = call.text("account");
  if (email !== null && !isEmail(email)) throw new UsageProblem("--account must be an e-mail address.");
  const beforeId = call.text("before");
  if (beforeId !== null && !isId("req", beforeId)) {
    throw new UsageProblem("--before takes the id of a request, which begins with req_.");
  }
  const limit = readCount("limit", call.text("limit"), USAGE_PAGE_MAX) ?? LIMIT_DEFAULT;
  const filter = { keyId, email, beforeId, limit };
  const entries = await withSession(call, "refuse", ({ store }) => store.report("usage", filter));
  if (call.json) printJson(call, entries.map(toJson));
  else if (entries.length === 0) printLine(call, "There is no usage to show.");
  else {
    call.io.stdout(table(COLUMNS, entries.map(toRow), call.paint));
    const last = entries.length === limit ? entries.at(-1) : undefined;
    if (last !== undefined) printLine(call, call.paint.dim(`Older rows: --before ${last.id}`));
  }
  return EXIT_OK;
}

const COLUMNS = [
  ...["TIME", "KEY", "MODEL", "STATUS", "STATE"].map(title => ({ title })),
  ...["IN", "CACHED", "OUT", "COST USD", "MS"].map(title => ({ title, right: true as const })),
  { title: "TOOL" },
];

function toRow(entry: UsageEntry): string[] {
  const { status, durationMs, tool, usage } = entry;
  return [
    ...[timeText(entry.startedAtMs), entry.key, entry.model, status === null ? "" : String(status)],
    entry.reason ?? entry.state,
    ...[input(entry), usage.cacheRead, usage.output].map(String),
    usd(entry.cost),
    durationMs === null ? "" : String(durationMs),
    tool.length > TOOL_CHARACTERS_MAX ? `${tool.slice(0, TOOL_CHARACTERS_MAX - 1)}…` : tool,
  ];
}

/** What was read anew, written to the cache or not; what came from the cache has its own column. */
function input({ usage }: UsageEntry): number {
  return usage.input + usage.cacheWrite5m + usage.cacheWrite1h;
}

function toJson(entry: UsageEntry) {
  return {
    id: entry.id,
    started_at: new Date(entry.startedAtMs).toISOString(),
    account: entry.account,
    key_id: entry.keyId,
    key: entry.key,
    group: entry.group,
    model: entry.model,
    dialect: entry.dialect,
    stream: entry.stream,
    state: entry.state,
    status: entry.status,
    reason: entry.reason,
    upstream: entry.upstream,
    attempts: entry.attempts,
    input_tokens: entry.usage.input,
    cache_read_tokens: entry.usage.cacheRead,
    cache_write_5m_tokens: entry.usage.cacheWrite5m,
    cache_write_1h_tokens: entry.usage.cacheWrite1h,
    output_tokens: entry.usage.output,
    reasoning_tokens: entry.usage.reasoning,
    held: usd(entry.hold),
    cost: usd(entry.cost),
    source: entry.source,
    pocket: entry.pocket,
    first_byte_ms: entry.firstByteMs,
    duration_ms: entry.durationMs,
    tool: entry.tool,
    address: entry.address,
  };
}
