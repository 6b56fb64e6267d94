import type { Clock } from "../domain/clock.ts";
import type { IdMaker } from "../domain/ids.ts";
import type { Store } from "../store/store.ts";

/** What every change of the control plane is made with; console and command line share the rules beside this file. */
export type Control = Clock & {
  store: Store;
  newId: IdMaker;
  randomBytes: (count: number) => Uint8Array;
  secrets: { lookup: Uint8Array; seal: Uint8Array; mark: Uint8Array; codes: Uint8Array };
  sealedCopies: boolean;
  /** Who makes the change, as ledger and audit name them. */
  actor: string;
};
