import type { Environment } from "../config.ts";
import type { Paint } from "./paint.ts";

/** The outside of the command line, passed in, so that a test can be the terminal. */
export type Io = {
  stdout: (text: string) => void;
  stderr: (text: string) => void;
  isTerminal: boolean;
  env: Environment;
  cwd?: string;
  readStdin?: () => Promise<Uint8Array>;
  /** Calls the listener at each SIGINT or SIGTERM. */
  onSignal?: (listener: () => void) => void;
  exitNow?: (code: number) => void;
  /** Calls the listener with what nobody caught, instead of ending the process. */
  onFault?: (listener: (error: unknown) => void) => void;
};

/** `value` is what stands for the option's value in help; without one the option is a switch. */
export type Option = { value?: string; required?: true; meaning: string };

export type Command = {
  /** One word, or a noun and a verb. */
  name: string;
  summary: string;
  positionals: readonly string[];
  options: Readonly<Record<string, Option>>;
  /** More for `--help`, in whole sentences. */
  details?: string;
  run: (call: Call) => Promise<number>;
};

/** A command as it was called, its arguments checked for shape and not for sense. */
export type Call = {
  io: Io;
  paint: Paint;
  json: boolean;
  debug: boolean;
  positionals: readonly string[];
  text: (option: string) => string | null;
  /** An option that the command requires, so that it is there. */
  need: (option: string) => string;
  flag: (option: string) => boolean;
};

export const EXIT_OK = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
export const EXIT_INTERRUPTED = 130;

export function printLine(call: Pick<Call, "io">, line: string): void {
  call.io.stdout(`${line}\n`);
}

export function printJson(call: Pick<Call, "io">, value: unknown): void {
  call.io.stdout(`${JSON.stringify(value)}\n`);
}
