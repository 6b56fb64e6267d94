import { type AlertPlace, FIRST_PLACE } from "../store/alerts-page.ts";
import type { ReportResult } from "../store/store.ts";
import type { Control } from "./control.ts";

export type Sweep = {
  wants: { balance: boolean; spend: boolean };
  /** Whether holders hear of a low balance by e-mail. */
  mails: boolean;
  isStopped: () => boolean;
};

const PAGE_ROWS = 5_000;
const TOLD_AT_ONCE = 50;
/** After each page it rests, four times as long as the page took: it is never the one who keeps the database busy. */
const REST_MS_MIN = 20;
const REST_SHARE = 4;

/** Looks through everything for what has run low or is nearly used up. It reads aside, and writes only what is news. */
export async function sweepAlerts(
  { store, nowMs }: Pick<Control, "store" | "nowMs">,
  { wants, mails, isStopped }: Sweep,
): Promise<void> {
  let place: AlertPlace | null = FIRST_PLACE;
  while (place !== null && !isStopped()) {
    const startedMs = nowMs();
    const asked = { place, rows: PAGE_ROWS, nowMs: startedMs, wants };
    const page: ReportResult<"alerts.page"> = await store.report("alerts.page", asked);
    const { findings } = page;
    for (let from = 0; from < findings.length; from += TOLD_AT_ONCE) {
      const some = findings.slice(from, from + TOLD_AT_ONCE);
      await store.run("alerts.tell", { findings: some, mails, nowMs: nowMs() });
    }
    place = page.next;
    if (place !== null) await Bun.sleep(Math.max(REST_MS_MIN, REST_SHARE * (nowMs() - startedMs)));
  }
}
