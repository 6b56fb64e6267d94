/** As for the tests, but for pictures. */
export {
  expect,
  fullyParallel,
  outputDir,
  retries,
  testMatch,
  use,
  workers,
} from "./playwright.config.ts";
export const testDir = "shots";
export const timeout = 240_000;
export const reporter = [["list"]];
