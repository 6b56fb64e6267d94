import type { Id } from "../domain/ids.ts";
import type { Nanos } from "../domain/money.ts";
import {
  generateRedemptionCode,
  previewRedemptionCode,
  redemptionCodeHash,
} from "../domain/redemption-code.ts";
import { byOf, type Control } from "./control.ts";

export const CODE_NOTE_CHARACTERS_MAX = 200;

export type CodesForm = { count: number; amount: Nanos; note: string; expiresAtMs: number | null };

/** Makes redemption codes, all or none; their strings are in the answer and nowhere else. */
export async function makeCodes(
  control: Control,
  { count, amount, note, expiresAtMs }: CodesForm,
): Promise<{ id: Id<"code">; code: string }[]> {
  const made = Array.from({ length: count }, () => {
    const code = generateRedemptionCode(control.randomBytes);
    const hash = redemptionCodeHash(control.secrets.codes, code);
    return { id: control.newId("code"), code, hash, preview: previewRedemptionCode(code) };
  });
  const codes = made.map(({ id, hash, preview }) => ({ id, hash, preview }));
  await control.store.run("code.create", { codes, amount, note, expiresAtMs, by: byOf(control) });
  return made.map(({ id, code }) => ({ id, code }));
}
