import { use as usual } from "./playwright.config.ts";

/** As for the tests, but for pictures. */
export {
  expect,
  fullyParallel,
  outputDir,
  retries,
  testMatch,
  workers,
} from "./playwright.config.ts";
export const use = { ...usual, trace: "off" };
export const testDir = "shots";
export const timeout = 900_000;
export const reporter = [["list"]];
