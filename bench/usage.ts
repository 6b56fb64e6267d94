import { join } from "node:path";
import { parseArgs } from "node:util";
import { dataDirOf, type Place, serve, wicketgate } from "./gateway.ts";
import { startPostgresServer } from "./postgres.ts";
import { closeOnSignal, openSite, type Site } from "./site.ts";
import { median, percentile } from "./statistics.ts";

/**
 * `npm run bench:usage`: what the console's usage pages and the operator's overview cost on a log of five million rows,
 * one account having most of them, on both databases: every question over HTTP, to the last byte of its answer.
 */

const TIMES = 20;
const PAGE_MS_MAX = 100;
const CHART_MS_MAX = 200;
const EMAIL = "a0@example.org";
const PASSWORD = "a bench in front of the gate";
const FILLER = join(import.meta.dir, "../test/usage-filler.ts");
const DAY_MS = 86_400_000;
const NOW_MS = Math.floor(Date.now() / 3_600_000) * 3_600_000;

type Question = { name: string; path: string; msMax: number };
type Measured = Question & { firstMs: number; medianMs: number; p95Ms: number; size: number };
type Page = { rows: unknown[]; next: string | null };

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "5000000" },
    check: { type: "boolean", default: false },
    database: { type: "string" },
  },
});

const ago = (days: number) => new Date(NOW_MS - days * DAY_MS).toISOString();
const at = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`;
const page = (name: string, query: Record<string, string>): Question => ({
  ...{ name, path: at("/usage", query), msMax: PAGE_MS_MAX },
});
const chart = (name: string, query: Record<string, string>): Question => ({
  ...{ name, path: at("/usage/summary", query), msMax: CHART_MS_MAX },
});

/** Over every account, for operators. */
const houses = ({ path, ...question }: Question): Question => ({
  ...question,
  name: `all: ${question.name}`,
  path: `/operator${path}`,
});

const overview = (range: string): Question => ({
  ...{ name: `overview of a ${range}`, path: at("/operator/overview", { range }), msMax: CHART_MS_MAX },
});

function houseQuestions(next: { deep: string }): Question[] {
  const account = `acc_${"4".padStart(26, "0")}`;
  const big = `acc_${"0".padStart(26, "0")}`;
  return [
    page("first page", {}),
    page("first page of 200", { limit: "200" }),
    page("half a year back", { before: next.deep }),
    page("an account", { account }),
    page("the largest account, half a year back", { account: big, before: next.deep }),
    page("an upstream", { upstream: "u-3" }),
    page("an upstream, half a year back", { upstream: "u-3", before: next.deep }),
    page("a model", { model: "model-3" }),
    page("a model of seven rows", { model: "rare-model" }),
    page("a tool", { tool: "tool-3" }),
    page("ok", { outcome: "ok" }),
    page("failed", { outcome: "failed" }),
    page("refused", { outcome: "refused" }),
    page("failed at an upstream", { upstream: "u-3", outcome: "failed" }),
    page("account, upstream and model", { account, upstream: "u-1", model: "model-2" }),
    page("a run of 50,000 refusals", { to: ago(RUN_DAYS_AGO) }),
    chart("a year by model", { from: ago(365), to: ago(0) }),
    chart("a year by account", { from: ago(365), to: ago(0), by: "account" }),
    chart("a year by upstream", { from: ago(365), to: ago(0), by: "upstream" }),
    chart("a year of one upstream", { from: ago(365), to: ago(0), by: "model", upstream: "u-3" }),
    chart("a year of one account", { from: ago(365), to: ago(0), by: "upstream", account }),
    chart("30 days", { from: ago(30) }),
    chart("a day, by hours", { from: ago(1) }),
    { name: "names", path: "/usage/names", msMax: PAGE_MS_MAX },
  ].map(houses);
}

/** The day of the long run of refusals, as the filler has it. */
const daysAgo = (part: number) => 365 * (1 - Math.sqrt(part));
const RUN_DAYS_AGO = daysAgo(0.6099);
const BROKEN_RUN_DAYS_AGO = daysAgo(0.6195);

function questions(next: { first: string; deep: string; model: string }): Question[] {
  const key = (number: number) => `key_${String(number).padStart(26, "0")}`;
  return [
    page("first page", {}),
    page("first page of 200", { limit: "200" }),
    page("next page", { before: next.first }),
    page("half a year back", { before: next.deep }),
    page("a run of 50,000 refusals", { to: ago(RUN_DAYS_AGO) }),
    page("many short runs of refusals", { to: ago(BROKEN_RUN_DAYS_AGO) }),
    page("a key", { key: key(5) }),
    page("a key, half a year back", { key: key(5), before: next.deep }),
    page("a key that is used no more", { key: key(0) }),
    page("a model", { model: "model-3" }),
    page("a model, next page", { model: "model-3", before: next.model }),
    page("a model, half a year back", { model: "model-3", before: next.deep }),
    page("a model of seven rows", { model: "rare-model" }),
    page("a model that nobody used", { model: "nothing" }),
    page("a tool", { tool: "tool-3" }),
    page("ok", { outcome: "ok" }),
    page("stopped", { outcome: "stopped" }),
    page("failed", { outcome: "failed" }),
    page("refused", { outcome: "refused" }),
    page("refused, in the long run", { outcome: "refused", to: ago(RUN_DAYS_AGO) }),
    page("refused, in short runs", { outcome: "refused", to: ago(BROKEN_RUN_DAYS_AGO) }),
    page("running", { outcome: "running" }),
    page("a key with a tool that it never met", { key: key(5), tool: "tool-3" }),
    page("key, model, tool and outcome", {
      key: key(3),
      model: "model-3",
      tool: "tool-3",
      outcome: "failed",
    }),
    page("failed of a model on one old day", {
      ...{ model: "model-3", outcome: "failed", from: ago(300), to: ago(299) },
    }),
    chart("a year by key", { from: ago(365), to: ago(0) }),
    chart("a year by model", { from: ago(365), to: ago(0), by: "model" }),
    chart("a year of one model", { from: ago(365), to: ago(0), model: "model-3" }),
    chart("a year of one tool", { from: ago(365), to: ago(0), tool: "tool-3" }),
    chart("a year of what went well", { from: ago(365), to: ago(0), outcome: "ok" }),
    chart("a year, cut at odd minutes", { from: ago(364.123), to: ago(0.4567), by: "model" }),
    chart("90 days", { from: ago(90) }),
    chart("30 days", { from: ago(30) }),
    chart("7 days", { from: ago(7) }),
    chart("a day, by hours", { from: ago(1) }),
    { name: "names", path: "/usage/names", msMax: PAGE_MS_MAX },
  ];
}

async function signIn(site: Site, root: string, place: Place): Promise<string> {
  const told = JSON.parse(await wicketgate(site, ["account", "reset", EMAIL, "--json"], place)) as {
    link: string;
  };
  const answer = await fetch(`${root}/console/api/links/use`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: root },
    body: JSON.stringify({ token: new URL(told.link).hash.slice(1), password: PASSWORD }),
  });
  if (!answer.ok) throw new Error(`The link was refused: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map(line => line.split(";")[0] ?? "")
    .join("; ");
}

type Console = { root: string; cookie: string };

async function get({ root, cookie }: Console, path: string): Promise<{ ms: number; body: string }> {
  const begin = performance.now();
  const answer = await fetch(`${root}/console/api${path}`, { headers: { cookie } });
  const body = await answer.text();
  const ms = performance.now() - begin;
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${body}`);
  return { ms, body };
}

async function measure(console: Console, question: Question): Promise<Measured> {
  const first = await get(console, question.path);
  const times: number[] = [];
  for (let time = 0; time < TIMES; time++) times.push((await get(console, question.path)).ms);
  const answer = JSON.parse(first.body) as { rows?: unknown[]; buckets?: unknown[]; models?: unknown[] };
  const size = (answer.rows ?? answer.buckets ?? answer.models ?? []).length;
  const [medianMs, p95Ms] = [median(times), percentile(times, 95)];
  return { ...question, firstMs: first.ms, medianMs, p95Ms, size };
}

async function nextOf(console: Console, query: Record<string, string>): Promise<string> {
  const { next } = JSON.parse((await get(console, at("/usage", query))).body) as Page;
  return next ?? "";
}

function print(measured: readonly Measured[]): boolean {
  const cells = (one: Measured) =>
    [one.firstMs, one.medianMs, one.p95Ms].map(ms => ms.toFixed(1).padStart(8));
  for (const one of measured) {
    const verdict = one.p95Ms < one.msMax ? "" : `  over ${one.msMax} ms`;
    process.stdout.write(
      `${one.name.padEnd(44)}${cells(one).join("")}${String(one.size).padStart(6)}${verdict}\n`,
    );
  }
  return measured.every(one => one.p95Ms < one.msMax);
}

/** Constant memory is a test's matter; this is how fast it comes. */
async function exportSpeed({ root, cookie }: Console): Promise<string> {
  const begin = performance.now();
  const answer = await fetch(`${root}/console/api${at("/usage/export", { format: "csv", from: ago(10) })}`, {
    headers: { cookie },
  });
  let bytes = 0;
  for await (const piece of answer.body ?? []) bytes += piece.length;
  const seconds = (performance.now() - begin) / 1_000;
  const rows = Number(answer.headers.get("x-total-estimate"));
  return `export: ${rows} rows, ${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s`;
}

async function run(site: Site, place: Place): Promise<boolean> {
  const database =
    place.databaseUrl === "" ? join(dataDirOf(site, place), "wicketgate.db") : place.databaseUrl;
  const { code, stdout, stderr } = await site.processes.run({
    command: [process.execPath, FILLER, database, values.rows],
    env: { PATH: process.env["PATH"] },
  });
  if (code !== 0) throw new Error(`The log was not filled:\n${stdout}${stderr}`);
  process.stdout.write(`\n${place.name}: filled with ${stdout.trim()}\n`);
  const { root } = await serve(site, place);
  const console = { root, cookie: await signIn(site, root, place) };
  const next = {
    first: await nextOf(console, {}),
    deep: await nextOf(console, { to: ago(182) }),
    model: await nextOf(console, { model: "model-3" }),
  };
  process.stdout.write(`${"".padEnd(44)}   first  median     p95  size\n`);
  const measured: Measured[] = [];
  const asked = [
    ...["day", "week", "month", "quarter", "year"].map(overview),
    ...houseQuestions(next),
    ...questions(next),
  ];
  for (const question of asked) measured.push(await measure(console, question));
  const holds = print(measured);
  process.stdout.write(`${await exportSpeed(console)}\n`);
  return holds;
}

const site = openSite();
closeOnSignal(site);
const verdicts: boolean[] = [];
try {
  if (values.database !== "postgres") verdicts.push(await run(site, { name: "SQLite", databaseUrl: "" }));
  if (values.database !== "sqlite") {
    const server = await startPostgresServer();
    try {
      verdicts.push(await run(site, { name: "PostgreSQL", databaseUrl: server.urls[0] }));
    } finally {
      await server.stop();
    }
  }
} finally {
  await site.close();
}
process.exit(values.check && verdicts.includes(false) ? 1 : 0);
