import { StoreProblem } from "../store/store.ts";
import { readArguments } from "./arguments.ts";
import { type Call, type Command, EXIT_FAILED, EXIT_OK, EXIT_USAGE, type Io } from "./command.ts";
import { commandsOf } from "./commands.ts";
import { commandHelp, overviewHelp, usageLine } from "./help.ts";
import { nearest } from "./nearest.ts";
import { paintFor } from "./paint.ts";
import { ConfigProblem, Failure, UsageProblem } from "./problem.ts";

const HELP: ReadonlySet<string> = new Set(["--help", "-h"]);
const VERSION: ReadonlySet<string> = new Set(["--version", "-v"]);

type Choice = { command: Command; rest: readonly string[] } | { help: string } | { problem: UsageProblem };

/** The whole command line: the arguments after the program's name in, the exit code out. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  const paint = paintFor(io);
  const words = wordsOf(argv);
  const choice = choose(words, await commandsOf(words[0]), io);
  if ("help" in choice) {
    io.stdout(choice.help);
    return EXIT_OK;
  }
  if ("problem" in choice) return complain(io, choice.problem, null);
  const { command, rest } = choice;
  const debug = rest.includes("--debug") || io.env["WICKETGATE_LOG_LEVEL"] === "debug";
  try {
    const { values, positionals } = readArguments(command, rest);
    if (values["help"] === true) {
      io.stdout(commandHelp(command, paint));
      return EXIT_OK;
    }
    const text = (option: string) => {
      const value = values[option];
      return typeof value === "string" ? value : null;
    };
    const call: Call = {
      io,
      paint,
      json: values["json"] === true,
      debug: values["debug"] === true,
      positionals,
      text,
      need: option => text(option) ?? "",
      flag: option => values[option] === true,
    };
    return await command.run(call);
  } catch (error) {
    return complain(io, error, { command, debug });
  }
}

type Words = readonly [first: string, ...rest: string[]];

/** As they would be written out: without a command it serves, and `help X` is `X --help`. */
function wordsOf(argv: readonly string[]): Words {
  const [first = "serve", ...rest] = argv;
  if (HELP.has(first)) return ["--help"];
  if (VERSION.has(first)) return ["version", ...rest];
  if (first === "help") return rest.length === 0 ? ["--help"] : wordsOf([...rest, "--help"]);
  return first.startsWith("-") ? ["serve", ...argv] : [first, ...rest];
}

function choose(argv: Words, commands: readonly Command[], io: Io): Choice {
  const paint = paintFor(io);
  const [first, second] = argv;
  if (HELP.has(first)) return { help: overviewHelp(commands, paint) };
  const single = commands.find(({ name }) => name === first);
  if (single !== undefined) return { command: single, rest: argv.slice(1) };
  const verbs = commands
    .filter(({ name }) => name.startsWith(`${first} `))
    .map(({ name }) => name.slice(first.length + 1));
  if (verbs.length === 0) {
    const words = new Set(commands.map(({ name }) => name.split(" ")[0] ?? name));
    return { problem: unknownWord(`There is no command “${first}”.`, first, [...words]) };
  }
  if (second !== undefined && HELP.has(second)) return { help: overviewHelp(commands, paint, first) };
  if (second === undefined || second.startsWith("-")) {
    return { problem: new UsageProblem(`“${first}” needs a second word: ${verbs.join(", ")}.`) };
  }
  for (const words of [3, 2]) {
    const command = commands.find(({ name }) => name === argv.slice(0, words).join(" "));
    if (command !== undefined) return { command, rest: argv.slice(words) };
  }
  const sentence = `“${first}” does not know “${second}”: it has ${verbs.join(", ")}.`;
  return { problem: unknownWord(sentence, second, verbs, `${first} `) };
}

function unknownWord(sentence: string, word: string, known: readonly string[], before = ""): UsageProblem {
  const meant = nearest(word, known);
  return new UsageProblem(
    sentence,
    meant === null ? "See all of them with: wicketgate --help" : `Did you mean wicketgate ${before}${meant}?`,
  );
}

/** Says what went wrong, in sentences, and gives the exit code for it. */
function complain(io: Io, error: unknown, during: { command: Command; debug: boolean } | null): number {
  const { red } = paintFor(io);
  const say = (line: string) => io.stderr(`${line}\n`);
  if (error instanceof UsageProblem) {
    say(red(error.message));
    if (error.hint !== null) say(error.hint);
    if (during !== null) say(usageLine(during.command));
    return EXIT_USAGE;
  }
  if (error instanceof ConfigProblem) {
    say(red(error.message));
    for (const problem of error.problems) say(`  ${problem}`);
    say("See every setting with: wicketgate config");
    return EXIT_USAGE;
  }
  if (error instanceof StoreProblem || error instanceof Failure) {
    say(red(error.message));
    return EXIT_FAILED;
  }
  say(red(`This went wrong in a way that Wicketgate does not know: ${messageOf(error)}`));
  if (during?.debug === true) say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  else say("Run it again with --debug for the details.");
  return EXIT_FAILED;
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
