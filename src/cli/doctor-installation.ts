import { accessSync, constants } from "node:fs";
import type { Config } from "../config.ts";
import { demoIsOn } from "../console/demo.ts";
import { keyState } from "../domain/api-key.ts";
import type { Catalogue } from "../domain/catalogue.ts";
import type { ReportResult } from "../store/store.ts";
import { INVARIANTS } from "../store/verify.ts";
import type { Call } from "./command.ts";
import type { Step } from "./doctor.ts";
import { localRoot } from "./doctor-client.ts";
import { ask } from "./doctor-fetch.ts";
import { SCHEMA_VERSION } from "./migrate.ts";
import { Failure } from "./problem.ts";
import { databaseFile, isMissing, noDatabase, type Session, withSession } from "./session.ts";

/** Everything that can be told from here; what depends on a step that failed is left out. */
export async function checkInstallation(call: Call, config: Config): Promise<Step[]> {
  const steps: Step[] = [ok("settings", "Every setting can be used.")];
  const directory = checkDataDir(config);
  steps.push(directory);
  if (directory.result === "ok") {
    try {
      steps.push(...(await withSession(call, "refuse", session => checkData(session, config))));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      steps.push(
        failed("database", error.message, "Restore a backup, or correct WICKETGATE_DATA_DIR or the secret."),
      );
    }
  }
  steps.push(await checkRunning(config));
  return steps;
}

function checkDataDir(config: Config): Step {
  if (isMissing(config)) {
    return failed("data_dir", noDatabase(config), "Start it once with wicketgate serve.");
  }
  try {
    accessSync(config.dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    if (config.databaseUrl === null) accessSync(databaseFile(config), constants.R_OK | constants.W_OK);
    return ok("data_dir", `The data in ${config.dataDir} can be read and written.`);
  } catch {
    const remedy = "Run this as the user that owns the data, or correct the permissions.";
    return failed("data_dir", `This user may not read and write the data in ${config.dataDir}.`, remedy);
  }
}

async function checkData({ store, control }: Session, config: Config): Promise<Step[]> {
  const findings = await store.report("verify", {});
  const read = await store.run("catalogue.read", {});
  const keys = await store.report("keys", { email: null });
  const active = keys.filter(key => keyState(key, control.nowMs()) === "active").length;
  return [
    ok("database", `The database opens, and its schema ${SCHEMA_VERSION} is current.`),
    findings.length === 0
      ? ok("ledger", `The ledger is clean: ${INVARIANTS} invariants hold.`)
      : failed("ledger", `The ledger breaks ${findings.length} times.`, "See where with: wicketgate verify"),
    checkUpstreams(read, config),
    ...(await checkPlaces(read, config)),
    ...checkRests(await store.report("upstream.states", {}), read),
    checkPrices(read),
    active > 0
      ? ok("keys", active === 1 ? "One key is active." : `${active} keys are active.`)
      : failed(
          "keys",
          "No key is active.",
          "Make one with: wicketgate key create --account EMAIL --name NAME --group GROUP",
        ),
  ];
}

function checkUpstreams(read: Catalogue, config: Config): Step {
  if (demoIsOn(config.demo, read.upstreams)) {
    const only = read.upstreams.length === 0;
    const message = only
      ? "Only the built-in demo upstream is there."
      : "Upstreams are there, and the demo beside them.";
    return only ? { step: "upstreams", result: "note", message } : ok("upstreams", message);
  }
  if (read.upstreams.length === 0) {
    return failed(
      "upstreams",
      "There is no upstream, and the demo is off.",
      "Connect one with: wicketgate apply FILE",
    );
  }
  return ok("upstreams", `There are upstreams: ${read.upstreams.map(({ name }) => name).join(", ")}.`);
}

/** What the gateway would refuse to connect to is told here before a client has to find out. */
async function checkPlaces({ upstreams }: Catalogue, config: Config): Promise<Step[]> {
  const { misplacedUpstreams } = await import("../console/upstream-places.ts");
  const misplaced = await misplacedUpstreams({ ...config, upstreams });
  return misplaced.map(({ name, problem }) => ({
    step: "addresses",
    result: "note",
    message: `Requests to the upstream “${name}” fail: ${problem}.`,
    remedy: "Correct its base_url or the name, or allow the address if it is meant.",
  }));
}

function checkRests(states: ReportResult<"upstream.states">, { upstreams }: Catalogue): Step[] {
  const names = new Set(states.map(({ upstreamId }) => upstreams.find(({ id }) => id === upstreamId)?.name));
  const resting = [...names].filter(name => name !== undefined);
  if (resting.length === 0) return [];
  const message = `Left alone after failures, in whole or in part: ${resting.join(", ")}.`;
  return [{ step: "health", result: "note", message, remedy: "See why with: wicketgate upstream health" }];
}

function checkPrices(read: Catalogue): Step {
  const served = new Set(read.upstreams.flatMap(({ models }) => [...models.keys()]));
  const unpriced = [...served].filter(name => (read.models.get(name)?.price ?? null) === null);
  if (unpriced.length === 0) return ok("prices", "Every model that an upstream serves has a price.");
  const message = `These models have no price, so they are refused: ${unpriced.join(", ")}.`;
  const remedy = "Give each of them a price under models in an apply file.";
  if (unpriced.length === served.size) return failed("prices", message, remedy);
  return { step: "prices", result: "note", message, remedy };
}

async function checkRunning(config: Config): Promise<Step> {
  const root = localRoot(config);
  const health = await ask(`${root}/healthz`, null);
  if (!health.heard || health.status !== 200) {
    return {
      step: "server",
      result: "note",
      message: `No gateway is running at ${root}, which may be as you want it.`,
    };
  }
  const ready = await ask(`${root}/readyz`, null);
  if (ready.heard && ready.status === 200)
    return ok("server", `The gateway at ${root} is running and ready.`);
  const why = ready.heard ? ready.text.trim().slice(0, 200) : ready.message;
  return failed(
    "server",
    `The gateway at ${root} is running and not ready: ${why}.`,
    "See its log for the reason.",
  );
}

function ok(step: string, message: string): Step {
  return { step, result: "ok", message };
}

function failed(step: string, message: string, remedy: string): Step {
  return { step, result: "failed", message, remedy };
}
