import type { HouseKeys } from "../store/house.ts";
import type { Store } from "../store/store.ts";
import { type SealKeys, seal, unseal } from "../upstream/seal.ts";

/**
 * Sub-keys of the master secret. All but those named here hash what nobody has in clear any more, so they outlive the
 * secret they came from.
 */
export type HouseSecrets = {
  lookup: Uint8Array;
  mark: Uint8Array;
  codes: Uint8Array;
  audit: Uint8Array;
  demoKey: Uint8Array;
  seal: SealKeys;
  /** What the others are sealed with in the database, once the master secret is another one. */
  wrap: Uint8Array;
  /** The same of master secrets that came while the process ran. */
  laterWraps?: readonly Uint8Array[];
  houseMark: string;
};

/** Whichever there are: one that is added to the house is kept without being named here. */
function peppersOf({ wrap: _, ...secrets }: HouseSecrets): [name: string, pepper: Uint8Array][] {
  return Object.entries(secrets).flatMap(([name, value]): [string, Uint8Array][] =>
    value instanceof Uint8Array ? [[name, value]] : [],
  );
}

/** Checks that the database belongs to these secrets, and completes them with what it keeps for them. */
export async function openSecrets(store: Pick<Store, "run">, secrets: HouseSecrets): Promise<void> {
  takeKeys(secrets, await store.run("house.secret", { mark: secrets.houseMark }));
}

/** The master secret may be changed while a process runs: then it learns of the new key here, before it meets it. */
export async function refreshSealKeys(store: Pick<Store, "run">, secrets: HouseSecrets): Promise<void> {
  const { sealKeys } = await store.run("house.keys", {});
  takeKeys(secrets, { peppers: null, sealKeys });
}

function takeKeys(secrets: HouseSecrets, { peppers, sealKeys }: HouseKeys): void {
  const kept = peppers === null ? null : opened(peppers, secrets, "peppers");
  for (const [name] of kept === null ? [] : peppersOf(secrets)) {
    const given = kept?.[name];
    if (typeof given === "string") Object.assign(secrets, { [name]: bytesOf(given) });
  }
  const announced = sealKeys === null ? null : opened(sealKeys, secrets, "seal keys");
  const { seal: keys, wrap } = announced ?? {};
  if (!Array.isArray(keys)) return;
  for (const key of keys) takeSealKey(secrets.seal, bytesOf(key));
  const later = secrets.laterWraps ?? [];
  if (later.some(known => isSame(known, bytesOf(wrap)))) return;
  secrets.laterWraps = [...later, bytesOf(wrap)];
}

function bytesOf(text: unknown): Uint8Array {
  return new Uint8Array(Buffer.from(String(text), "base64"));
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).equals(other);
}

function takeSealKey(keys: SealKeys, key: Uint8Array): void {
  const all = [keys.newest, ...keys.others];
  keys.others = all.filter(known => !isSame(known, key));
  keys.newest = key;
}

function opened(text: string, secrets: HouseSecrets, boundTo: string): Record<string, unknown> | null {
  const key = { newest: secrets.wrap, others: secrets.laterWraps ?? [] };
  const plain = unseal(bytesOf(text), { key, boundTo });
  return plain === null ? null : (JSON.parse(plain) as Record<string, unknown>);
}

export function wrapPeppers(secrets: HouseSecrets, wrap: Uint8Array): string {
  const texts = peppersOf(secrets).map(([name, pepper]) => [name, Buffer.from(pepper).toString("base64")]);
  return wrapped(Object.fromEntries(texts), wrap, "peppers");
}

/**
 * Oldest first: whoever reads them takes the last for the newest. The new secret's own key for such messages goes along,
 * so that a process that runs on hears of the change after this one, too.
 */
export function wrapSealKeys(
  keys: readonly Uint8Array[],
  { under, next }: { under: Uint8Array; next: Uint8Array },
): string {
  const texts = keys.map(key => Buffer.from(key).toString("base64"));
  return wrapped({ seal: texts, wrap: Buffer.from(next).toString("base64") }, under, "seal keys");
}

function wrapped(value: unknown, wrap: Uint8Array, boundTo: string): string {
  return Buffer.from(seal(JSON.stringify(value), { key: wrap, boundTo })).toString("base64");
}
