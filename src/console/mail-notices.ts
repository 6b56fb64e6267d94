import type { HouseSettings } from "../domain/settings.ts";
import type { ClaimedDelivery } from "../store/deliveries.ts";
import type { Bring } from "./deliver.ts";
import type { Mailer } from "./mail.ts";
import type { Change, Mail } from "./mails/mail.ts";
import { FORGOT } from "./sign-in/link.ts";

type Notices = { mail: Mailer; settings: () => HouseSettings };

/** What a notice says, as its webhook would: only what is read here. */
type Told = {
  timestamp?: string;
  data?: {
    action?: string;
    fields?: readonly Change[];
    by?: string;
    balance_usd?: string;
    threshold_usd?: string | null;
  };
};

/** Brings notices that go to people; null while no mail can be sent. */
export function mailNotices({ mail, settings }: Notices): () => Bring | null {
  const bring: Bring = async row => {
    const { recipient, id } = row;
    const notice = noticeOf(row, settings().publicUrl);
    if (recipient === null || notice === null)
      return { ok: false, status: null, problem: "There is no such mail.", isFinal: true };
    // Whoever forgot their password has been sent the link itself.
    if (notice.kind === "operator_changed" && notice.by === FORGOT)
      return { ok: true, status: null, problem: null };
    // Where it is sent a second time, after a crash, its name is the same.
    const problem = await mail.send({ email: recipient, name: id }, notice);
    if (problem === null) return { ok: true, status: null, problem: null };
    const { sentence, status, isFinal } = problem;
    return { ok: false, status, problem: sentence, isFinal };
  };
  return () => (mail.isSet() ? bring : null);
}

export function noticeOf({ event, body }: ClaimedDelivery, root: string | null): Mail | null {
  const { timestamp, data = {} } = JSON.parse(body) as Told;
  if (event === "balance.low") {
    const { balance_usd: balanceUsd = "0", threshold_usd: threshold = null } = data;
    // Whoever has chosen none hears of it when there is nothing left.
    const thresholdUsd = Number(threshold) === 0 ? null : threshold;
    const link = root === null ? null : `${root}/console/account`;
    return { kind: "low_balance", balanceUsd, thresholdUsd, link };
  }
  if (event !== "operator.changed") return null;
  const { action = "", fields = [], by = "" } = data;
  return { kind: "operator_changed", action, changes: fields, by, atMs: Date.parse(timestamp ?? "") || 0 };
}
