import { runCli } from "./cli/run.ts";

// A reader that has seen enough (`wicketgate usage | head`) closes the pipe, which is no fault.
process.stdout.on("error", () => process.exit(0));

const code = await runCli(process.argv.slice(2), {
  stdout: text => void process.stdout.write(text),
  stderr: text => void process.stderr.write(text),
  isTerminal: process.stdout.isTTY === true && process.stderr.isTTY === true,
  env: process.env,
  readStdin: () => Bun.stdin.bytes(),
  onSignal: listener => {
    process.on("SIGINT", listener);
    process.on("SIGTERM", listener);
  },
  exitNow: exitCode => process.exit(exitCode),
});

for (const stream of [process.stdout, process.stderr]) {
  await new Promise<void>(resolve => stream.write("", () => resolve()));
}
process.exit(code);
