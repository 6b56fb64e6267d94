import { checkBooks } from "./books.ts";
import { dataDirOf, startGateway } from "./gateway.ts";
import { makeWrk, modes } from "./load.ts";
import { describeMachine } from "./machine.ts";
import { type CpuRound, type LatencyRound, Measurement } from "./measure.ts";
import { type Options, readOptions, usage } from "./options.ts";
import { memory } from "./proc.ts";
import { renderReport, writeResult } from "./report.ts";
import { makeResult, type Result } from "./result.ts";
import { closeOnSignal, openSite, type Site } from "./site.ts";
import { startMock, startNginx } from "./targets.ts";
import { ensureTools } from "./tools.ts";

const REST_MS = 3000;

/** The whole run: tools, three servers on loopback, interleaved rounds, memory, the books. */
async function bench(site: Site, options: Options): Promise<Result> {
  const tools = await ensureTools(site.processes, say);
  const machine = await describeMachine(site, { tools, dataDir: dataDirOf(site) });

  const direct = await startMock(site);
  const nginx = await startNginx(site, { nginx: tools.nginx, upstream: direct });
  const wicketgate = await startGateway(site, { upstream: direct });

  const { key } = wicketgate;
  const measurement = new Measurement({
    wrk: makeWrk(site, { wrk: tools.wrk, key }),
    targets: { direct, nginx, wicketgate },
    plan: { ...options, key },
  });
  await measurement.probe();
  const cpuRounds: CpuRound[] = [];
  const latencyRounds: LatencyRound[] = [];
  for (const mode of modes) {
    say(`${mode}: warm-up`);
    await measurement.warmUp(mode);
    say(`${mode}: CPU time`);
    cpuRounds.push(...(await measurement.cpuRounds(mode)));
    say(`${mode}: latency`);
    latencyRounds.push(...(await measurement.latencyRounds(mode)));
  }
  await Bun.sleep(REST_MS);
  const memoryAfter = memory(wicketgate.server.pid);

  await site.processes.stop(wicketgate.server.pid);
  const books = await checkBooks(site, { gateway: wicketgate, sent: measurement.sent });
  return makeResult({ machine, plan: options, cpuRounds, latencyRounds, memoryAfter, books });
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<number> {
  const options = readOptions(Bun.argv.slice(2));
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  const site = openSite();
  closeOnSignal(site);
  try {
    const result = await bench(site, options);
    writeResult(options.resultFile, result);
    process.stdout.write(`\n${renderReport(result)}\n\nfigures: ${options.resultFile}\n`);
    return options.check && result.verdicts.some(verdict => !verdict.holds) ? 1 : 0;
  } finally {
    await site.close();
  }
}

process.exitCode = await main().catch(error => {
  say(`The bench failed: ${error instanceof Error ? error.message : String(error)}`);
  return 1;
});
