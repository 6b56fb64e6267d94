import { formatUsd } from "../domain/money.ts";
import { countedAt, type Period, periodEnd, periodStart, rolled } from "../domain/spend-window.ts";
import { type AlertFinding, type AlertKind, type IdSpan, levelOf } from "./alerts.ts";
import { big, text, toWindow, whole } from "./rows.ts";
import type { SqlRow, Tx } from "./tx.ts";

/** The level that `levelOf` gives, in SQL: only what is news leaves the database. */
function level(spent: string, limit: string): string {
  return `case when ${limit} <= 0 then 0 when ${spent} >= ${limit} - ${limit} / 1000 then 100
    when ${spent} >= ${limit} - ${limit} / 5 then 80 else 0 end`;
}

/** Quotas of keys: one for all time, so that its mark has no period. */
export async function quotaFindings(tx: Tx, { after, upTo }: IdSpan): Promise<AlertFinding[]> {
  const rows = await tx.all(
    `select keys.id as thing_id, keys.name as name, keys.spent as spent, keys.quota as bound,
        keys.account_id as account_id, coalesce(alerts.level, 0) as marked
      from keys left join alerts on alerts.kind = 'key_quota' and alerts.thing_id = keys.id and alerts.period = 'quota'
      where keys.id > ? and keys.id <= ? and keys.quota is not null and keys.enabled = 1
        and keys.deleted_at_ms is null
        and ${level("keys.spent", "keys.quota")} <> coalesce(alerts.level, 0)`,
    ...[after, upTo],
  );
  const what = { kind: "key_quota", period: "quota", atMs: 0, resetsAtMs: null } as const;
  const findings: AlertFinding[] = [];
  for (const row of rows) findings.push(await findingOf(tx, row, what));
  return findings;
}

/** By the period of the window; a key that sets none itself has that of its group. */
const limitOf = (limits: (field: string) => string) =>
  `case windows.period when 'day' then ${limits("spend_per_day")} when 'week' then ${limits("spend_per_week")}
    when 'month' then ${limits("spend_per_month")} end`;

type Owners = {
  kind: AlertKind;
  bound: string;
  name: string;
  account: string;
  /** The owner's own id: the span is said of it, too, since no planner sees that it must be the same. */
  own: string;
  joins: string;
  where: string;
};

/** Whose windows there are, and what bounds each. */
const OWNERS: readonly Owners[] = [
  {
    kind: "key_limit",
    bound: limitOf(field => `coalesce(keys.${field}, groups.${field})`),
    ...{ name: "keys.name", account: "keys.account_id", own: "keys.id" },
    joins: "join keys on keys.id = windows.owner_id join groups on groups.id = keys.group_id",
    where: "keys.enabled = 1 and keys.deleted_at_ms is null and ? > 0",
  },
  {
    kind: "account_limit",
    bound: limitOf(field => `accounts.${field}`),
    ...{ name: "accounts.email", account: "accounts.id", own: "accounts.id" },
    joins: "join accounts on accounts.id = windows.owner_id",
    where: "accounts.enabled = 1 and ? > 0",
  },
  {
    kind: "subscription",
    bound: "case when plans.time_window = windows.period then plans.quota end",
    ...{ name: "plans.name", account: "subscriptions.account_id", own: "subscriptions.id" },
    joins: `join subscriptions on subscriptions.id = windows.owner_id
      join plans on plans.id = subscriptions.plan_id`,
    where: "(subscriptions.until_ms is null or subscriptions.until_ms > ?)",
  },
];

/** Limits by the day, the week and the month, and the periods of subscriptions. */
export async function windowFindings(tx: Tx, span: IdSpan & { nowMs: number }): Promise<AlertFinding[]> {
  const findings: AlertFinding[] = [];
  for (const owners of OWNERS) findings.push(...(await findingsOf(tx, owners, span)));
  return findings;
}

async function findingsOf(
  tx: Tx,
  { kind, bound, name, account, own, joins, where }: Owners,
  { after, upTo, nowMs }: IdSpan & { nowMs: number },
): Promise<AlertFinding[]> {
  // Windows that are over are not looked at again; a week may have begun in the month before.
  const sinceMs = Math.min(periodStart("month", nowMs), periodStart("week", nowMs));
  const rows = await tx.all(
    `select found.* from (
      select windows.*, windows.owner_id as thing_id, ${name} as name, ${bound} as bound,
          ${account} as account_id, case when alerts.at_ms = windows.start_ms then alerts.level else 0 end as marked
        from windows ${joins} left join alerts on alerts.kind = ? and alerts.thing_id = windows.owner_id
          and alerts.period = windows.period
        where windows.owner_id > ? and windows.owner_id <= ? and ${own} > ? and ${own} <= ?
          and (windows.period = 'total' or windows.start_ms >= ?) and ${where}) as found
      where found.bound is not null and ${level("found.spent", "found.bound")} <> found.marked`,
    ...[kind, after, upTo, after, upTo, sinceMs, nowMs],
  );
  const findings: AlertFinding[] = [];
  for (const row of rows.filter(one => isRunning(one, nowMs))) {
    const period = text(row["period"]) as Period;
    const resetsAtMs = periodEnd(period, nowMs);
    findings.push(await findingOf(tx, row, { kind, period, atMs: whole(row["start_ms"]), resetsAtMs }));
  }
  return findings;
}

function isRunning(row: SqlRow, nowMs: number): boolean {
  const window = toWindow(row);
  return rolled(window, countedAt([window], nowMs)).startMs === window.startMs;
}

type What = { kind: AlertKind; period: Period | "quota"; atMs: number; resetsAtMs: number | null };

/** From a row with what is spent, what it is bound by, and how much of it was told. */
async function findingOf(tx: Tx, row: SqlRow, what: What): Promise<AlertFinding> {
  const { kind, period, atMs, resetsAtMs } = what;
  const [spent, limit] = [big(row["spent"]), big(row["bound"])];
  const reached = levelOf(spent, limit);
  const mark = { kind, thingId: text(row["thing_id"]), period, level: reached, atMs };
  if (reached < whole(row["marked"])) return { ...mark, told: null };
  const accountId = text(row["account_id"]);
  const [account] = await tx.all("select email from accounts where id = ?", accountId);
  const email = text(account?.["email"]);
  const data = {
    ...{ level: reached, what: kind, period: period === "quota" ? "total" : period },
    ...{ spent_usd: formatUsd(spent), limit_usd: formatUsd(limit) },
    resets_at: resetsAtMs === null ? null : new Date(resetsAtMs).toISOString(),
    account: { id: accountId, email },
    ...aboutOf(kind, row),
  };
  return { ...mark, told: { email, data } };
}

function aboutOf(kind: AlertKind, row: SqlRow): Readonly<Record<string, unknown>> {
  const [id, name] = [text(row["thing_id"]), text(row["name"])];
  if (kind === "account_limit") return {};
  return kind === "subscription" ? { subscription: { id, plan: name } } : { key: { id, name } };
}
