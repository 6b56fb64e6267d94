import { readFileSync } from "node:fs";
import { type Call, type Command, EXIT_OK, printJson, printLine } from "./command.ts";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

export const VERSION = manifest.version;

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
