import { givenFor, options, readConfig } from "../config.ts";
import { type Call, type Command, EXIT_OK, printJson } from "./command.ts";
import { ConfigProblem } from "./problem.ts";
import { table } from "./table.ts";

export const configCommand: Command = {
  name: "config",
  summary: "show every setting, its value and where it comes from; secrets are masked",
  positionals: [],
  options: {},
  details:
    "It tells what the environment says. Some of it can be set while a gateway runs, too: wicketgate settings list tells what holds then.",
  run: config,
};

type Setting = {
  name: string;
  value: string | null;
  default: string | null;
  source: string;
  meaning: string;
};

async function config(call: Call): Promise<number> {
  const settings = Object.values(options).map((option): Setting => {
    const given = givenFor(option, call.io.env) ?? "";
    const value = given === "" ? option.fallback : option.secret === true ? "(set)" : given;
    const source = given === "" ? "default" : "environment";
    return { name: option.env, value, default: option.fallback, source, meaning: option.meaning };
  });
  if (call.json) printJson(call, settings);
  else {
    const columns = ["SETTING", "VALUE", "DEFAULT", "SOURCE", "MEANING"].map(title => ({ title }));
    const rows = settings.map(({ name, value, source, meaning, ...setting }) => {
      return [name, value ?? "", setting.default ?? "", source, meaning];
    });
    call.io.stdout(table(columns, rows, call.paint));
  }
  const read = readConfig(call.io.env);
  if ("problems" in read) throw new ConfigProblem(read.problems);
  return EXIT_OK;
}
