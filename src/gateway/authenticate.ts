import { type Refusal, refusal } from "../domain/errors.ts";
import { keyHash } from "../domain/key-hash.ts";
import { diagnoseKeyString, isGenerated, type KeyDiagnosis } from "../domain/key-string.ts";

/** Who calls, as far as can be told without the database; what is plainly no key of ours never reaches it. */
export type Presented = { hash: string } | { hashes: readonly string[] } | { refusal: Refusal };

const RANK: Record<KeyDiagnosis["kind"], number> = {
  generated: 0,
  custom: 1,
  malformed: 2,
  provider: 3,
  missing: 4,
};

export function authenticate(headers: Headers, lookupKey: Uint8Array): Presented {
  const usual = headers.get("authorization");
  const isAlone = !headers.has("x-api-key") && !headers.has("x-goog-api-key");
  if (isAlone && usual?.startsWith("Bearer ")) {
    const key = usual.slice("Bearer ".length);
    if (isGenerated(key)) return { hash: keyHash(lookupKey, key) };
  }
  return amongStrings(presentedStrings(headers), lookupKey);
}

function amongStrings(strings: readonly string[], lookupKey: Uint8Array): Presented {
  const diagnosed = strings.map(diagnoseKeyString);
  const keys = diagnosed.flatMap(found =>
    found.kind === "generated" || found.kind === "custom" ? [found.key] : [],
  );
  if (keys.length > 0) return { hashes: [...new Set(keys)].map(key => keyHash(lookupKey, key)) };
  const [best = { kind: "missing" } as const] = diagnosed.sort((a, b) => RANK[a.kind] - RANK[b.kind]);
  if (best.kind === "malformed") return { refusal: refusal("key_malformed", { problem: best.problem }) };
  if (best.kind !== "provider") return { refusal: refusal("key_missing") };
  return { refusal: refusal("key_is_provider_key", { provider: best.provider, setting: best.setting }) };
}

/** Clients send the key in one of three headers, some in two with different keys. */
function presentedStrings(headers: Headers): string[] {
  const authorization = headers.get("authorization");
  const strings = authorization === null ? [] : [authorization.replace(/^bearer(?: |$)/i, "")];
  for (const name of ["x-api-key", "x-goog-api-key"]) {
    const value = headers.get(name);
    if (value !== null) strings.push(value);
  }
  return strings;
}
