import { byOf } from "../console/control.ts";
import type { HealthReport, ModelReport, StateReport, UpstreamReport } from "../console/upstream-health.ts";
import { formatUsd } from "../domain/money.ts";
import { readCount } from "./amount.ts";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";
import { printable } from "./paint.ts";
import { withSession } from "./session.ts";
import { table, timeText } from "./table.ts";

export const upstreamHealthCommands: readonly Command[] = [
  {
    name: "upstream health",
    summary: "how upstreams have been doing: success, speed, rests and why, cost",
    positionals: [],
    options: {
      name: { value: "NAME", meaning: "of this upstream alone, with what became of it" },
      hours: { value: "N", meaning: "over so many hours, 1 without this, at most 720" },
    },
    details: `AT PRICE is what the same usage is by the models' own prices, before the multiplier of a group: the nearest that is
known here to what the upstream asks for it. What rests, rests at a process: each instance knows what it has seen itself.`,
    run: health,
  },
  {
    name: "upstream reset",
    summary: "put an upstream back to work now, whatever was held against it",
    positionals: ["NAME"],
    options: {},
    details: "Every running gateway sees it within a second.",
    run: reset,
  },
];

const HOURS_MAX = 720;
const EVENTS_SHOWN = 20;

async function health(call: Call): Promise<number> {
  const { upstreamHealth } = await import("../console/upstream-health.ts");
  const name = call.text("name");
  const hours = readCount("hours", call.text("hours"), HOURS_MAX) ?? 1;
  const report = await withSession(call, "refuse", ({ control }) => upstreamHealth(control, { name, hours }));
  if (call.json) printJson(call, toJson(report));
  else if (report.upstreams.length === 0) printLine(call, "There are no upstreams yet.");
  else print(call, report, name !== null);
  return EXIT_OK;
}

function print(call: Call, { upstreams }: HealthReport, isOne: boolean): void {
  const columns = [
    ...["UPSTREAM", "MODEL"].map(title => ({ title })),
    ...["ASKED", "GOOD", "FIRST BYTE", "P95", "TOKENS/S", "RESTS", "CHARGED", "AT PRICE"].map(title => {
      return { title, right: true as const };
    }),
  ];
  const rows = upstreams.flatMap(({ name, models }) => models.map(one => [name, ...toRow(one)]));
  if (rows.length === 0) printLine(call, "Nobody was asked anything in this time.");
  else call.io.stdout(table(columns, rows, call.paint));
  for (const { name, states } of upstreams) {
    for (const state of states) printLine(call, call.paint.yellow(printable(sentence(name, state))));
  }
  if (isOne) printEvents(call, upstreams[0]);
}

function toRow(one: ModelReport): string[] {
  const ms = (value: number | null) => (value === null ? "" : `${value} ms`);
  return [
    ...[one.model, String(one.attempts), one.successRate === null ? "" : percent(one.successRate)],
    ...[ms(one.firstByteMsMedian), ms(one.firstByteMsP95)],
    ...[one.tokensPerSecond === null ? "" : one.tokensPerSecond.toFixed(1), String(one.rests)],
    ...[formatUsd(one.charged), formatUsd(one.atPrice)],
  ];
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function sentence(name: string, { state, why, sinceMs, untilMs, model, credential }: StateReport): string {
  const key = credential === null ? "" : `its key ${credential}, `;
  const what = model === null ? "for every model" : `for ${model}`;
  const is = state === "trying" ? "is being tried" : "rests";
  const until = untilMs === null ? "" : ` until ${timeText(untilMs)}`;
  return `${name}: ${key}${what}, ${is} since ${timeText(sinceMs)}${until}: ${why ?? "no reason"}`;
}

function printEvents(call: Call, upstream: UpstreamReport | undefined): void {
  const events = upstream?.events.slice(0, EVENTS_SHOWN) ?? [];
  if (events.length === 0) return;
  const columns = ["TIME", "STATE", "MODEL", "KEY", "UNTIL", "WHY"].map(title => ({ title }));
  const rows = events.map(({ atMs, state, model, credential, untilMs, why }) => [
    ...[timeText(atMs), state, model ?? "all", credential ?? "", timeText(untilMs), why ?? ""],
  ]);
  call.io.stdout(`\n${table(columns, rows, call.paint)}`);
}

function toJson({ fromMs, toMs, upstreams }: HealthReport) {
  return {
    from: timeText(fromMs),
    to: timeText(toMs),
    upstreams: upstreams.map(({ name, states, events, models }) => ({
      name,
      states: states.map(({ sinceMs, untilMs, ...state }) => {
        return { ...state, since: isoTime(sinceMs), until: isoTime(untilMs) };
      }),
      events: events.map(({ atMs, untilMs, ...event }) => {
        return { ...event, at: isoTime(atMs), until: isoTime(untilMs) };
      }),
      models: models.map(one => ({
        ...{ model: one.model, attempts: one.attempts, good: one.good, failed: one.failed },
        ...{ success_rate: one.successRate, first_byte_ms_median: one.firstByteMsMedian },
        ...{ first_byte_ms_p95: one.firstByteMsP95, tokens_per_second: one.tokensPerSecond },
        ...{ rests: one.rests, charged: formatUsd(one.charged), at_price: formatUsd(one.atPrice) },
      })),
    })),
  };
}

function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

async function reset(call: Call): Promise<number> {
  const name = call.positionals[0] ?? "";
  await withSession(call, "refuse", ({ store, control }) =>
    store.run("upstream.reset", { name, by: byOf(control) }),
  );
  if (call.json) printJson(call, { name });
  else printLine(call, `The upstream “${printable(name)}” is asked again, whatever was held against it.`);
  return EXIT_OK;
}
