import { resolve } from "node:path";
import { type Config, readConfig } from "../config.ts";
import type { Io } from "./command.ts";
import { ConfigProblem } from "./problem.ts";

/** The configuration of this call, with the data dir as a whole path. */
export function readSettings(io: Pick<Io, "env" | "cwd">): Config {
  const read = readConfig(io.env);
  if ("problems" in read) throw new ConfigProblem(read.problems);
  return { ...read.config, dataDir: resolve(io.cwd ?? ".", read.config.dataDir) };
}
