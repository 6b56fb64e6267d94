import { checkCustomKey } from "../domain/custom-key.ts";
import { keyHash } from "../domain/key-hash.ts";
import { generateKeyString, previewKeyString } from "../domain/key-string.ts";
import type { KeyLimits, KeySecret } from "../store/keys.ts";
import { StoreProblem } from "../store/store.ts";
import { seal } from "../upstream/seal.ts";
import type { Control } from "./control.ts";

export type KeyForm = KeyLimits & { email: string; name: string; group: string; custom: string | null };

const NAME_CHARACTERS_MAX = 100;

/** Makes a key; its string is in the answer and nowhere else. */
export async function createKey(control: Control, form: KeyForm): Promise<{ id: string; key: string }> {
  const problem = nameProblem(form.name);
  if (problem !== null) throw new StoreProblem(problem);
  const { key, ...secret } = keySecret(control, form.custom);
  const id = control.newId("key");
  await control.store.run("key.create", { ...form, ...secret, id, nowMs: control.nowMs() });
  return { id, key };
}

export function nameProblem(name: string): string | null {
  const bare = name.trim();
  if (bare === "") return "A key needs a name.";
  if ([...name].some(character => character < " " || character === "\u007f")) {
    return "A key's name has no control characters.";
  }
  return name.length > NAME_CHARACTERS_MAX
    ? `A key's name has at most ${NAME_CHARACTERS_MAX} characters.`
    : null;
}

/** The string, given or generated, with what is stored of it. */
export function keySecret(control: Control, custom: string | null): KeySecret & { key: string } {
  if (custom !== null) {
    const checked = checkCustomKey(custom);
    if (!checked.ok) throw new StoreProblem(`This custom key cannot be used: ${checked.problem}.`);
  }
  const key = custom ?? generateKeyString(control.randomBytes);
  const hash = keyHash(control.secrets.lookup, key);
  const sealed = control.sealedCopies
    ? seal(key, { key: control.secrets.seal, boundTo: `key ${hash}` })
    : null;
  return { key, hash, preview: previewKeyString(key), sealed };
}
