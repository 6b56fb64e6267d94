import { checkCustomKey } from "../../domain/custom-key.ts";
import type { Limits } from "../../domain/limits.ts";
import { type Nanos, parseUsd } from "../../domain/money.ts";
import type { Calls } from "../contract/contract.ts";
import { nameProblem, trimmedName } from "../keys.ts";
import { ConsoleProblem } from "./problem.ts";

type Settings = Calls["PATCH /keys/{id}"]["body"];

/** What of a key's settings was given; null takes a limit away. */
export type GivenSettings = { limits: Partial<Limits>; quota?: Nanos | null; expiresAtMs?: number | null };

const COUNTS = {
  requests_per_minute: "requestsPerMinute",
  tokens_per_minute: "tokensPerMinute",
  concurrency: "concurrency",
} as const;
const AMOUNTS = {
  spend_per_day_usd: "spendPerDay",
  spend_per_week_usd: "spendPerWeek",
  spend_per_month_usd: "spendPerMonth",
} as const;

export function readSettings(given: Settings, nowMs: number): GivenSettings {
  const limits: Partial<Limits> = {};
  for (const [field, name] of Object.entries(COUNTS)) {
    const count = given[field as keyof typeof COUNTS];
    if (count !== undefined) limits[name] = count;
  }
  for (const [field, name] of Object.entries(AMOUNTS)) {
    const amount = readAmount(field, given[field as keyof typeof AMOUNTS]);
    if (amount === 0n) throw fieldProblem(field, "Enter more than zero, or leave it empty for no limit.");
    if (amount !== undefined) limits[name] = amount;
  }
  const quota = readAmount("quota_usd", given.quota_usd);
  const expiresAtMs = readExpiry(given.expires_at, nowMs);
  return {
    limits,
    ...(quota === undefined ? {} : { quota }),
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  };
}

export function readName(given: string): string {
  const name = trimmedName(given);
  const problem = nameProblem(name);
  if (problem !== null) throw fieldProblem("name", problem);
  return name;
}

/** Left empty it is none. */
export function readCustomKey(given: string | undefined): string | null {
  if (given === undefined || given === "") return null;
  const checked = checkCustomKey(given);
  if (!checked.ok) throw fieldProblem("custom_key", `This key cannot be used: ${checked.problem}.`);
  return given;
}

/** A field that cannot be as it was given, said at the field itself. */
export function fieldProblem(path: string, message: string): ConsoleProblem {
  return new ConsoleProblem("invalid", message, { fields: [{ path, message }] });
}

function readAmount(field: string, text: string | null | undefined): Nanos | null | undefined {
  if (text === null || text === undefined) return text;
  const nanos = parseUsd(text);
  if (nanos === null || nanos < 0n) throw fieldProblem(field, "Enter an amount in USD such as 5 or 0.25.");
  return nanos;
}

function readExpiry(text: string | null | undefined, nowMs: number): number | null | undefined {
  if (text === null || text === undefined) return text;
  const atMs = Date.parse(text);
  if (Number.isNaN(atMs)) throw fieldProblem("expires_at", "Enter a date and time.");
  if (atMs <= nowMs) {
    throw fieldProblem("expires_at", "This time has passed. Choose a later one, or disable the key instead.");
  }
  return atMs;
}
