import { runCli } from "./cli/run.ts";

// A reader that has seen enough (`wicketgate usage | head`) closes the pipe, which is no fault.
process.stdout.on("error", () => process.exit(0));

/** The last write to each stream: an exit before it is done would cut what a slow reader has not taken yet. */
const written = new Map<NodeJS.WriteStream, Promise<void>>();
const write = (stream: NodeJS.WriteStream) => (text: string) =>
  void written.set(stream, new Promise(resolve => stream.write(text, () => resolve())));

const code = await runCli(process.argv.slice(2), {
  stdout: write(process.stdout),
  stderr: write(process.stderr),
  isTerminal: process.stdout.isTTY === true && process.stderr.isTTY === true,
  env: process.env,
  readStdin: () => Bun.stdin.bytes(),
  onSignal: listener => {
    process.on("SIGINT", listener);
    process.on("SIGTERM", listener);
  },
  exitNow: exitCode => process.exit(exitCode),
  onFault: listener => {
    process.on("uncaughtException", listener);
    process.on("unhandledRejection", listener);
  },
});

await Promise.all(written.values());
process.exit(code);
