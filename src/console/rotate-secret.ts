import type { By } from "../store/audit.ts";
import { type Resealed, SEALED_TABLES, type SealedRow, type SealedTable } from "../store/sealed-rows.ts";
import type { Store } from "../store/store.ts";
import { seal, unseal } from "../upstream/seal.ts";
import { BOUND_TO } from "./bound-to.ts";
import { type HouseSecrets, wrapPeppers, wrapSealKeys } from "./house-secrets.ts";

export type Rotation = {
  store: Pick<Store, "run">;
  /** As the database knows them: see openSecrets. */
  old: HouseSecrets;
  /** Of the new master secret alone. */
  next: HouseSecrets;
  /** Whoever changes it. */
  by: Omit<By, "chainKey">;
  /** Waits until every running gateway has read what was announced. */
  settle: () => Promise<void>;
  onProgress: (done: number) => void;
};

/** How many were sealed anew, and how many no known secret opens, which were of no use before either. */
export type Rotated = { resealed: number; unreadable: number };

const PAGE = 100;

/**
 * Announces the new key, seals everything with it in small steps, and gives the database to the new secret. Whatever
 * happens in between, the old secret works until the last step and the new one after it; done again, it goes on.
 */
export async function rotateSecret(rotation: Rotation): Promise<Rotated> {
  const { store, old, next, settle } = rotation;
  const target = next.seal.newest;
  // Those of a change that was begun and never finished are still needed to open what it has done.
  const begun = [...old.seal.others, old.seal.newest].filter(key => !isSame(key, target));
  const sealKeys = wrapSealKeys([...begun, target], { under: old.wrap, next: next.wrap });
  await store.run("house.announce", { mark: old.houseMark, sealKeys });
  await settle();
  const known = [target, ...begun];
  const first = await resealAll(rotation, known);
  const by = { ...rotation.by, chainKey: old.audit };
  const peppers = wrapPeppers(old, next.wrap);
  await store.run("house.change", { from: old.houseMark, to: next.houseMark, peppers, by });
  // What a command that began before the announcement has sealed meanwhile.
  await settle();
  const last = await resealAll(rotation, known);
  return { resealed: first.resealed + last.resealed, unreadable: last.unreadable };
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).equals(other);
}

async function resealAll(rotation: Rotation, known: readonly Uint8Array[]): Promise<Rotated> {
  const done: Rotated = { resealed: 0, unreadable: 0 };
  for (const table of SEALED_TABLES) {
    let after = "";
    for (;;) {
      const page = await rotation.store.run("sealed.page", { table, after, limit: PAGE });
      const { rows, unreadable } = resealed(table, page, known);
      if (rows.length > 0) await rotation.store.run("sealed.replace", { table, rows });
      done.resealed += rows.length;
      done.unreadable += unreadable;
      rotation.onProgress(done.resealed);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      after = last.id;
    }
  }
  return done;
}

function resealed(table: SealedTable, page: readonly SealedRow[], known: readonly Uint8Array[]) {
  const [target, ...others] = known;
  const rows: Resealed[] = [];
  let unreadable = 0;
  for (const { id, bound, sealed } of page) {
    const boundTo = BOUND_TO[table](bound);
    if (target === undefined || boundTo === null) continue;
    if (unseal(sealed, { key: target, boundTo }) !== null) continue;
    const plain = others.map(key => unseal(sealed, { key, boundTo })).find(text => text !== null) ?? null;
    if (plain === null) unreadable += 1;
    else rows.push({ id, before: sealed, after: seal(plain, { key: target, boundTo }) });
  }
  return { rows, unreadable };
}
