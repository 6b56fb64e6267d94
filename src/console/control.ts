import type { Clock } from "../domain/clock.ts";
import type { IdMaker } from "../domain/ids.ts";
import type { HouseSettings } from "../domain/settings.ts";
import type { SettingTexts } from "../domain/settings-house.ts";
import type { By, Through } from "../store/audit.ts";
import type { Store } from "../store/store.ts";
import type { SealKey } from "../upstream/seal.ts";

/** What every change of the control plane is made with; console and command line share the rules beside this file. */
export type Control = Clock & {
  store: Store;
  newId: IdMaker;
  randomBytes: (count: number) => Uint8Array;
  secrets: { lookup: Uint8Array; seal: SealKey; mark: Uint8Array; codes: Uint8Array; audit: Uint8Array };
  /** As they are now: asked each time, and kept by nobody. */
  settings: () => HouseSettings;
  /** What of them the environment fixes. */
  fixedSettings: SettingTexts;
  /** Who makes the change, as ledger and audit name them. */
  actor: string;
  through: Through;
  /** Where they called from; null where nobody called. */
  address: string | null;
};

/** What the audit is told of whoever makes a change, beside the change itself. */
export function byOf(control: Pick<Control, "actor" | "through" | "address" | "nowMs" | "secrets">): By {
  const { actor, through, address, nowMs, secrets } = control;
  return { actor, through, address, nowMs: nowMs(), chainKey: secrets.audit };
}
