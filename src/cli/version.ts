import manifest from "../../package.json" with { type: "json" };
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";

export const VERSION: string = manifest.version;

export const versionCommand: Command = {
  name: "version",
  summary: "say which version this is",
  positionals: [],
  options: {},
  run: async (call: Call) => {
    if (call.json) printJson(call, { version: VERSION, bun: Bun.version });
    else printLine(call, `wicketgate ${VERSION}`);
    return EXIT_OK;
  },
};
