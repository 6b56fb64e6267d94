import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Dialect } from "../../src/domain/usage.ts";
import {
  applyYaml,
  freshDir,
  type Gateway,
  keyOf,
  type MadeKey,
  mustRun,
  removeDir,
  startGateway,
  type UsageRow,
  usageRows,
  verifyClean,
} from "../harness.ts";
import type { Place } from "./client.ts";
import { CREDENTIAL, type ScriptedUpstream, scriptedUpstream } from "./scripted-upstream.ts";

/** One gateway before one scripted upstream, which it knows three times: once for each dialect. */

export const DIALECTS: readonly Dialect[] = ["chat", "responses", "messages"];
export const GROUP = "coding";
export const ELSEWHERE = "mock-elsewhere";

/** What kind of key a check needs; each gets one of its own. */
export type KeyKind = "paid" | "disabled" | "poor" | "limited";

export type World = {
  root: string;
  upstream: ScriptedUpstream;
  key: (name: string) => MadeKey;
  place: (name: string) => Place;
  rows: (keyId: string) => Promise<UsageRow[]>;
  /** Ends everything, and fails where the ledger is not clean. */
  stop: () => Promise<void>;
};

export type WorldPlan = {
  /** The beginnings of their names. */
  models: readonly string[];
  keys: readonly { name: string; kind: KeyKind }[];
};

export async function startWorld(plan: WorldPlan): Promise<World> {
  const upstream = scriptedUpstream();
  const dir = freshDir();
  const places = freshDir();
  let gateway: Gateway | null = null;
  const tidy = async () => {
    await gateway?.stop();
    await upstream.close();
    removeDir(dir);
    removeDir(places);
  };
  try {
    const keys = await applyYaml(dir, yaml(plan, upstream.url));
    for (const { name, kind } of plan.keys)
      if (kind === "disabled") await mustRun(dir, ["key", "disable", keyOf(keys, name).id]);
    const started = await startGateway(dir, { WICKETGATE_DEMO: "off" });
    gateway = started;
    return {
      root: started.url,
      upstream,
      key: name => keyOf(keys, name),
      place: name => makePlace(join(places, name)),
      rows: keyId => usageRows(dir, keyId),
      stop: () => verifyClean(dir).finally(tidy),
    };
  } catch (error) {
    await tidy();
    throw error;
  }
}

function makePlace(dir: string): Place {
  const place = { home: join(dir, "home"), work: join(dir, "work") };
  for (const made of Object.values(place)) mkdirSync(made, { recursive: true });
  return place;
}

export function writeFiles(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** JSON is YAML. */
function yaml({ models, keys }: WorldPlan, upstreamUrl: string): string {
  const names = (dialect: Dialect) => models.map(model => `${model}-${dialect}`);
  const price = { input: 1, output: 10 };
  return JSON.stringify({
    upstreams: DIALECTS.map(dialect => ({
      name: `scripted ${dialect}`,
      kind: dialect === "messages" ? "anthropic" : "openai-compatible",
      base_url: dialect === "messages" ? upstreamUrl : `${upstreamUrl}/v1`,
      speaks: [dialect],
      api_key: CREDENTIAL,
      models: Object.fromEntries(names(dialect).map(name => [name, upstreamModel(name)])),
    })),
    models: [...DIALECTS.flatMap(names), ELSEWHERE].map(name => ({ name, max_output_tokens: 32_000, price })),
    groups: [
      { name: GROUP, models: DIALECTS.flatMap(names) },
      { name: "others", models: [ELSEWHERE] },
    ],
    accounts: [
      { email: "ann@example.org", balance: 1000 },
      { email: "bob@example.org", balance: 0 },
    ],
    keys: keys.map(({ name, kind }) => ({
      account: kind === "poor" ? "bob@example.org" : "ann@example.org",
      name,
      group: GROUP,
      ...(kind === "limited" ? { requests_per_minute: 1 } : {}),
    })),
  });
}

export function upstreamModel(name: string): string {
  return `vendor/${name}`;
}
