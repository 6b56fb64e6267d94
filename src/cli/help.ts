import { COMMON_OPTIONS } from "./arguments.ts";
import type { Command, Option } from "./command.ts";
import type { Paint } from "./paint.ts";

const EXIT_CODES = "Exit codes: 0 it worked, 1 it failed, 2 it was called or configured wrongly.";

export function usageLine(command: Command): string {
  const required = Object.entries(command.options)
    .filter(([, option]) => option.required === true)
    .map(([name, option]) => `--${name} ${option.value ?? ""}`.trim());
  const words = ["wicketgate", command.name, ...command.positionals, ...required, "[options]"];
  return `Usage: ${words.join(" ")}`;
}

export function commandHelp(command: Command, paint: Paint): string {
  const options: [string, Option][] = [...Object.entries(command.options), ...Object.entries(COMMON_OPTIONS)];
  const lines = options.map(([name, { value, meaning, required }]): [string, string] => [
    `--${name}${value === undefined ? "" : ` ${value}`}`,
    required === true ? `${meaning} (required)` : meaning,
  ]);
  const details = command.details === undefined ? [] : ["", command.details];
  return text([
    `${paint.bold(`wicketgate ${command.name}`)}: ${command.summary}`,
    "",
    usageLine(command),
    ...details,
    "",
    paint.bold("Options"),
    ...aligned(lines),
    "",
    EXIT_CODES,
  ]);
}

/** Help for all commands, or for those of one noun. */
export function overviewHelp(commands: readonly Command[], paint: Paint, noun: string | null = null): string {
  const shown = noun === null ? commands : commands.filter(({ name }) => name.startsWith(`${noun} `));
  const lines = shown.map(({ name, positionals, summary }): [string, string] => [
    [name, ...positionals].join(" "),
    summary,
  ]);
  return text([
    noun === null
      ? `${paint.bold("wicketgate")}: a self-hosted gateway to language models`
      : paint.bold(`wicketgate ${noun}`),
    "",
    `Usage: wicketgate ${noun === null ? "[COMMAND]" : `${noun} COMMAND`} [options]`,
    "",
    paint.bold("Commands"),
    ...aligned(lines),
    "",
    "Each command explains itself with --help, and answers in JSON with --json.",
    EXIT_CODES,
  ]);
}

function aligned(lines: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...lines.map(([left]) => left.length));
  return lines.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}

function text(lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
