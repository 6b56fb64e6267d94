import { checkCustomKey } from "../domain/custom-key.ts";
import type { Id } from "../domain/ids.ts";
import { keyHash } from "../domain/key-hash.ts";
import { generateKeyString, previewKeyString } from "../domain/key-string.ts";
import type { KeyLimits, KeySecret } from "../store/keys.ts";
import { StoreProblem } from "../store/store.ts";
import { seal, unseal } from "../upstream/seal.ts";
import { byOf, type Control } from "./control.ts";

export type KeyForm = KeyLimits & {
  email: string;
  name: string;
  group: string;
  custom: string | null;
  keysMax?: number;
};

const NAME_CHARACTERS_MAX = 100;
/** A character that people see may be many code units, but not without end. */
const NAME_UNITS_MAX = 1_000;

/** Line breaks and the like, and what turns the writing of the text around it. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;
const BIDI = /[\u202a-\u202e\u2066-\u2069]/u;
/** What leaves nothing to be seen. */
const UNSEEN = /^[\p{Cf}\p{Z}\p{M}\u115f\u1160\u3164\uffa0\u2800]*$/u;

/** Makes a key; its string is in the answer and nowhere else. */
export async function createKey(
  control: Control,
  form: KeyForm,
): Promise<{ id: Id<"key">; key: string; name: string }> {
  const name = trimmedName(form.name);
  const problem = nameProblem(name);
  if (problem !== null) throw new StoreProblem(problem);
  const { key, ...secret } = keySecret(control, form.custom);
  const id = control.newId("key");
  await control.store.run("key.create", { ...form, ...secret, id, name, by: byOf(control) });
  return { id, key, name };
}

export type RotateForm = {
  id: Id<"key">;
  /** Whose key it has to be; null where the command line asks. */
  accountId: Id<"acc"> | null;
  /** How long the old string still works. */
  graceMs: number;
};

/** Gives a key a new string, which is in the answer and nowhere else; null where there is no such key. */
export async function rotateKey(
  control: Control,
  { id, accountId, graceMs }: RotateForm,
): Promise<{ key: string; name: string; untilMs: number } | null> {
  const { key, ...secret } = keySecret(control, null);
  const by = byOf(control);
  const untilMs = by.nowMs + graceMs;
  const rotated = await control.store.run("key.rotate", { ...secret, id, accountId, by, untilMs });
  return rotated === null ? null : { key, name: rotated.name, untilMs };
}

/** As it is kept: the same name written in two ways is one. */
export function trimmedName(given: string): string {
  return given.normalize("NFC").trim();
}

export function nameProblem(name: string): string | null {
  if (UNSEEN.test(name)) return "A key needs a name.";
  if (CONTROL.test(name) || !name.isWellFormed()) return "A key's name has no control characters.";
  if (BIDI.test(name)) return "A key's name has no characters that turn the direction of the text around it.";
  return name.length > NAME_UNITS_MAX || graphemes(name) > NAME_CHARACTERS_MAX
    ? `A key's name has at most ${NAME_CHARACTERS_MAX} characters.`
    : null;
}

function graphemes(text: string): number {
  let count = 0;
  for (const _ of new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)) count += 1;
  return count;
}

/** The string, given or generated, with what is stored of it. */
export function keySecret(
  control: Pick<Control, "randomBytes" | "secrets" | "settings">,
  custom: string | null,
): KeySecret & { key: string } {
  if (custom !== null) {
    const checked = checkCustomKey(custom);
    if (!checked.ok) throw new StoreProblem(`This custom key cannot be used: ${checked.problem}.`);
  }
  const key = custom ?? generateKeyString(control.randomBytes);
  const hash = keyHash(control.secrets.lookup, key);
  const sealed = control.settings().sealedCopies ? seal(key, sealingOf(control, hash)) : null;
  return { key, hash, preview: previewKeyString(key), sealed };
}

/** Null where the copy was sealed under another secret. */
export function openCopy(
  control: Pick<Control, "secrets">,
  { hash, sealed }: { hash: string; sealed: Uint8Array },
): string | null {
  return unseal(sealed, sealingOf(control, hash));
}

function sealingOf({ secrets }: Pick<Control, "secrets">, hash: string) {
  return { key: secrets.seal, boundTo: `key ${hash}` };
}
