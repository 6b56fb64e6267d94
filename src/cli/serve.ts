import { mkdirSync } from "node:fs";
import type { Config } from "../config.ts";
import { jsonLog } from "../log.ts";
import type { RunningServer } from "../server.ts";
import { StoreFailure } from "../store/store.ts";
import { type Call, type Command, EXIT_INTERRUPTED, EXIT_OK, printLine } from "./command.ts";
import { Failure } from "./problem.ts";
import { readSettings } from "./settings.ts";
import { VERSION } from "./version.ts";

export const serveCommand: Command = {
  name: "serve",
  summary: "run the gateway (what happens without a command, too)",
  positionals: [],
  options: {},
  details:
    "It is set by the environment: see wicketgate config. One SIGINT or SIGTERM lets running requests finish, a second ends them properly, a third ends the process at once. Started again with the same data and port, it takes over from the one that runs.",
  run: serve,
};

/** A terminal signals the whole group and npm passes the signal on, so the same wish arrives twice at once. */
const SAME_WISH_MS = 300;

async function serve(call: Call): Promise<number> {
  const config = readSettings(call.io);
  const stop = Promise.withResolvers<void>();
  const hurry = Promise.withResolvers<void>();
  let lastMs: number | null = null;
  let wishes = 0;
  call.io.onSignal?.(() => {
    const nowMs = performance.now();
    if (lastMs !== null && nowMs - lastMs < SAME_WISH_MS) return;
    lastMs = nowMs;
    wishes += 1;
    stop.resolve();
    if (wishes === 2) hurry.resolve();
    if (wishes > 2) call.io.exitNow?.(EXIT_INTERRUPTED);
  });
  const server = await start(call, config);
  if (call.json) {
    const { url, publicUrl, demoKey, demoModel, setupLink } = server;
    const told = { url, public_url: publicUrl, demo_key: demoKey, demo_model: demoModel };
    call.io.stdout(`${JSON.stringify({ ...told, setup_link: setupLink })}\n`);
  } else banner(call, config, server);
  const why = await Promise.race([
    stop.promise.then(() => "Stopping: running requests may finish. Press Ctrl-C again to end them now."),
    server.replaced.then(() => "Another process has taken the port: running requests may finish here."),
  ]);
  if (!call.json) printLine(call, why);
  void hurry.promise.then(server.hurry);
  await server.stop();
  return EXIT_OK;
}

async function start(call: Call, config: Config): Promise<RunningServer> {
  // Loaded here, so that the other commands do not wait for the gateway's code.
  const { startServer } = await import("../server.ts");
  try {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    const level = call.debug ? "debug" : config.logLevel;
    const log = jsonLog(level, call.io.stderr);
    // One request's fault must not end the others.
    call.io.onFault?.(error =>
      log("error", "fault", { why: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
    return await startServer(config, { log, version: VERSION });
  } catch (error) {
    throw startProblem(config, error);
  }
}

function startProblem({ host, port, dataDir, databaseUrl }: Config, error: unknown): unknown {
  if (error instanceof StoreFailure && databaseUrl !== null) {
    return new Failure(`The database of DATABASE_URL cannot be opened: ${error.message.replace(/\.$/, "")}.`);
  }
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "EADDRINUSE") {
    return new Failure(
      `Port ${port} on ${host} is in use, perhaps by another Wicketgate. Stop that program, or set PORT to another port.`,
    );
  }
  if (code === "EACCES") {
    return new Failure(`This user may not use port ${port} on ${host}, or the data in ${dataDir}.`);
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new Failure(
      `${host} is not an address of this machine. Set HOST to one that is, such as 127.0.0.1.`,
    );
  }
  return error;
}

function banner(call: Call, config: Config, server: RunningServer): void {
  const { bold } = call.paint;
  const lines = [
    bold(`Wicketgate ${VERSION}`),
    "",
    `  OpenAI-style clients, base URL    ${bold(`${server.publicUrl}/v1`)}`,
    `  Messages-style clients, address   ${bold(server.publicUrl)}`,
    `  Console                           ${bold(`${server.publicUrl}/console/`)}`,
    `  Data                              ${config.dataDir}`,
    "",
    ...(server.setupLink === null ? [] : setupLines(bold(server.setupLink))),
    ...(server.demoKey === null ? keyLines() : demoLines(server, server.demoKey)),
    "",
  ];
  call.io.stdout(`${lines.join("\n")}\n`);
}

function setupLines(link: string): string[] {
  return ["Set it up in a browser, with this link, which works once and for 24 hours:", "", link, ""];
}

function demoLines(server: RunningServer, key: string): string[] {
  const body = JSON.stringify({ model: server.demoModel, messages: [{ role: "user", content: "Hello!" }] });
  return [
    "Try it, with the built-in demo model:",
    "",
    `curl ${server.publicUrl}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer ${key}" \\`,
    '  -H "Content-Type: application/json" \\',
    `  -d '${body}'`,
  ];
}

function keyLines(): string[] {
  return [
    "Make an account and a key for it, then put the key into your client:",
    "",
    "wicketgate account add ann@example.org --balance 10",
    "wicketgate key create --account ann@example.org --name laptop --group default",
  ];
}
