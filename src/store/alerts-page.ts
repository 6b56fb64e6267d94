import type { AlertFinding } from "./alerts.ts";
import { balanceFindings } from "./alerts-balance.ts";
import { quotaFindings, windowFindings } from "./alerts-spend.ts";
import { text } from "./rows.ts";
import type { Tx } from "./tx.ts";

/** Where a look at everything has come to: which kind of thing, and after which of them. */
export type AlertPlace = { stage: AlertStage; after: string };
type AlertStage = "balance" | "quota" | "windows";

const STAGES = {
  balance: "select id from accounts where id > ? order by id limit 1 offset ?",
  quota: "select id from keys where id > ? order by id limit 1 offset ?",
  windows: "select owner_id as id from windows where owner_id > ? order by owner_id limit 1 offset ?",
} as const;
const ORDER: readonly AlertStage[] = ["balance", "quota", "windows"];

export const FIRST_PLACE: AlertPlace = { stage: "balance", after: "" };
/** After every id. */
const END = "~";

export type AlertsAsked = {
  place: AlertPlace;
  /** How many rows are looked at. */
  rows: number;
  nowMs: number;
  wants: { balance: boolean; spend: boolean };
};

/** What there is to tell of one stretch of rows, and where the next one begins; null at the end. */
export async function alertPage(
  tx: Tx,
  { place, rows, nowMs, wants }: AlertsAsked,
): Promise<{ findings: AlertFinding[]; next: AlertPlace | null }> {
  const { stage, after } = place;
  const isWanted = stage === "balance" ? wants.balance : wants.spend;
  if (!isWanted) return { findings: [], next: stageAfter(stage) };
  const [last] = await tx.all(STAGES[stage], after, rows - 1);
  const upTo = last === undefined ? END : text(last["id"]);
  const span = { after, upTo, nowMs };
  const find = { balance: balanceFindings, quota: quotaFindings, windows: windowFindings }[stage];
  return {
    findings: await find(tx, span),
    next: last === undefined ? stageAfter(stage) : { stage, after: upTo },
  };
}

function stageAfter(stage: AlertStage): AlertPlace | null {
  const next = ORDER[ORDER.indexOf(stage) + 1];
  return next === undefined ? null : { stage: next, after: "" };
}
