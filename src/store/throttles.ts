import { big } from "./rows.ts";
import type { Tx } from "./tx.ts";

const MS_NS = 1_000_000n;
const SECOND_NS = 1_000_000_000n;

/** So many at once, then one for each interval. */
export type Throttle = { owner: string; burst: number; everyMs: number };

export type Try = {
  throttles: readonly Throttle[];
  nowMs: number /** Forget those that are at rest. */;
  sweep?: boolean;
};

/** The seconds to wait, 0 where it would pass. It counts nothing, so whoever is refused again and again costs little. */
export async function lookAtThrottles(tx: Tx, { throttles, nowMs }: Try): Promise<number> {
  return (await nextOf(tx, { throttles, nowMs })).seconds;
}

/**
 * Counts one try against each of them, or, where one refuses, against none. Gives the seconds to wait, 0 where it
 * passes. Jobs run one after another over all instances, so it is exact.
 */
export async function passThrottles(tx: Tx, { throttles, nowMs, sweep }: Try): Promise<number> {
  if (sweep === true) await tx.run("delete from throttles where arrival_ns < ?", BigInt(nowMs) * MS_NS);
  const { seconds, next } = await nextOf(tx, { throttles, nowMs });
  if (seconds > 0) return seconds;
  for (const [owner, arrivalNs] of next) await setArrival(tx, owner, arrivalNs);
  return 0;
}

async function nextOf(
  tx: Tx,
  { throttles, nowMs }: Try,
): Promise<{ seconds: number; next: [string, bigint][] }> {
  const nowNs = BigInt(nowMs) * MS_NS;
  const next: [string, bigint][] = [];
  let waitNs = 0n;
  for (const { owner, burst, everyMs } of throttles) {
    const everyNs = BigInt(everyMs) * MS_NS;
    const aheadNsMax = everyNs * BigInt(burst);
    const arrivalNs = await arrivalOf(tx, owner);
    // Further ahead than it can be by right means that the clock was set back.
    const from = arrivalNs <= nowNs ? nowNs : minimum(arrivalNs, nowNs + aheadNsMax);
    const excessNs = from + everyNs - nowNs - aheadNsMax;
    if (excessNs > waitNs) waitNs = excessNs;
    next.push([owner, from + everyNs]);
  }
  return { seconds: Number((waitNs + SECOND_NS - 1n) / SECOND_NS), next };
}

/** The try that was counted was a right one: it is given back. */
export async function forgiveThrottles(
  tx: Tx,
  { throttles }: { throttles: readonly Throttle[] },
): Promise<void> {
  for (const { owner, everyMs } of throttles) {
    await tx.run(
      "update throttles set arrival_ns = arrival_ns - ? where owner = ?",
      BigInt(everyMs) * MS_NS,
      owner,
    );
  }
}

async function arrivalOf(tx: Tx, owner: string): Promise<bigint> {
  const [row] = await tx.all("select arrival_ns from throttles where owner = ?", owner);
  return big(row?.["arrival_ns"]);
}

async function setArrival(tx: Tx, owner: string, arrivalNs: bigint): Promise<void> {
  await tx.run(
    `insert into throttles (owner, arrival_ns) values (?, ?)
      on conflict (owner) do update set arrival_ns = excluded.arrival_ns`,
    owner,
    arrivalNs,
  );
}

function minimum(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
