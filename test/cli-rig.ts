import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../src/cli/run.ts";

export type Ran = { code: number; out: string; err: string };

export type CliRig = {
  dir: string;
  /** Runs in this process, on a data dir of its own. */
  run: (
    argv: readonly string[],
    more?: { env?: Record<string, string>; stdin?: string; terminal?: true },
  ) => Promise<Ran>;
  /** Writes a file and gives its path. */
  file: (name: string, text: string) => Promise<string>;
  dispose: () => void;
};

export function cliRig(): CliRig {
  const dir = mkdtempSync(join(tmpdir(), "wicketgate-cli-"));
  return {
    dir,
    run: async (argv, more = {}) => {
      let out = "";
      let err = "";
      const code = await runCli(argv, {
        stdout: text => {
          out += text;
        },
        stderr: text => {
          err += text;
        },
        isTerminal: more.terminal === true,
        env: { WICKETGATE_DATA_DIR: join(dir, "data"), ...more.env },
        cwd: dir,
        readStdin: async () => new TextEncoder().encode(more.stdin ?? ""),
      });
      return { code, out, err };
    },
    file: async (name, text) => {
      await Bun.write(join(dir, name), text);
      return name;
    },
    dispose: () => rmSync(dir, { recursive: true, force: true }),
  };
}
