import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type Mode, modes } from "./load.ts";
import { type Latency, MEGABYTE, type ModeSummary, type Result } from "./result.ts";

const NONE = "–";

export function writeResult(file: string, result: Result): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
}

export function renderReport(result: Result): string {
  return [
    machineLines(result),
    ...modes.map(mode => modeTable(mode, result.summary[mode])),
    booksLines(result),
    verdictLines(result),
  ].join("\n\n");
}

function machineLines({ machine, plan }: Result): string {
  const { fdatasync } = machine;
  return [
    `${machine.cpu}, ${machine.cores} cores, ${machine.arch}, Linux ${machine.kernel}, load ${machine.loadAverageBefore} before`,
    `Bun ${machine.bun}, ${machine.nginx}, wrk ${machine.wrk}`,
    `fdatasync of 4 KiB where the database is: ${fdatasync.p50Ms.toFixed(2)} ms (p99 ${fdatasync.p99Ms.toFixed(2)} ms)`,
    `${plan.rounds} rounds of ${plan.secondsPerRound} s, medians; CPU at ${plan.cpuConnections} connections, latency at ${plan.latencyConnections}`,
  ].join("\n");
}

function modeTable(mode: Mode, { cpu, ratio, latency }: ModeSummary): string {
  const isStream = mode === "streaming";
  const added = isStream ? ["added to first byte ms", "to each chunk ms"] : ["added ms"];
  const head = [isStream ? "streaming, 100 chunks" : "non-streaming", "CPU µs", "× nginx", "per second"];
  const row = (name: "nginx" | "wicketgate", times: number) => [
    name,
    cpu[name].microsPerRequest.toFixed(1),
    times.toFixed(2),
    cpu[name].requestsPerSecond.toFixed(0),
    ...(isStream ? [cpu[name].pieces?.toFixed(0) ?? NONE] : []),
    ...[latency[name].p50Ms, latency[name].p99Ms, ...addedMs(latency[name])].map(milliseconds),
  ];
  const { p50Ms, p99Ms } = latency.direct;
  const times = [milliseconds(p50Ms), milliseconds(p99Ms)];
  return table([
    [...head, ...(isStream ? ["pieces"] : []), "p50 ms", "p99 ms", ...added],
    ["direct", NONE, NONE, NONE, ...(isStream ? [NONE] : []), ...times, ...added.map(() => NONE)],
    row("nginx", 1),
    row("wicketgate", ratio),
  ]);
}

/** The length of a whole stream is the mock's pace and its jitter; what a proxy adds shows at its parts. */
function addedMs({ addedMs: toAll, stream }: Latency): number[] {
  return stream === null ? [toAll] : [stream.firstByteMs, stream.chunkMs];
}

function milliseconds(value: number): string {
  return value.toFixed(3);
}

function booksLines({ books, memoryAfter }: Result): string {
  const states = Object.entries(books.rowsByState).map(([state, count]) => `${count} ${state}`);
  return [
    "wicketgate verify: the ledger is clean",
    `usage log: ${books.rows} rows (${states.join(", ")}) for ${books.answered} answered requests; wrk cut off the rest, at most ${books.cutOffMax}`,
    `memory: ${megabytes(memoryAfter.residentBytes)} MB resident after a rest, ${megabytes(memoryAfter.peakBytes)} MB at the most`,
  ].join("\n");
}

function verdictLines({ verdicts, summary }: Result): string {
  const spread = modes.map(mode => {
    const { ratios } = summary[mode];
    return ` (rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
  });
  return verdicts
    .map(({ target, value, limit, holds }, at) => {
      const verdict = holds ? "holds:         " : "does not hold: ";
      return `${verdict}${target} ${limit}: ${value.toFixed(2)}${spread[at] ?? ""}`;
    })
    .join("\n");
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toFixed(1);
}

/** The first column to the left, figures to the right. */
function table(rows: readonly (readonly string[])[]): string {
  const columns = rows[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map(row => row[at]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join("  ");
  const [head = [], ...body] = rows;
  return [line(head), widths.map(width => "─".repeat(width)).join("  "), ...body.map(line)].join("\n");
}
