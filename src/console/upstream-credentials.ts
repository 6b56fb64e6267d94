import type { CredentialListing, CredentialSpec } from "../store/credentials.ts";
import { StoreProblem } from "../store/store.ts";
import { seal } from "../upstream/seal.ts";
import { credentialField } from "./apply-schema.ts";
import { byOf, type Control } from "./control.ts";

/** So much of a long key is told, as its maker's own pages do; of a short one nothing. */
const PREVIEW_CHARACTERS = 4;
const PREVIEWED_CHARACTERS_MIN = 24;

/** Bound to where it is sent, so that nobody can point an upstream elsewhere and receive its credential there. */
export function credentialSpec(
  { newId, secrets }: Pick<Control, "newId" | "secrets">,
  plain: string,
  baseUrl: string,
): CredentialSpec {
  return {
    id: newId("crd"),
    sealed: seal(plain, { key: secrets.seal, boundTo: new URL(baseUrl).origin }),
    mark: new Bun.CryptoHasher("sha256", secrets.mark).update(plain).digest("base64url"),
    preview: plain.length < PREVIEWED_CHARACTERS_MIN ? "" : `…${plain.slice(-PREVIEW_CHARACTERS)}`,
  };
}

/** One more key for an upstream that is there. */
export async function addUpstreamKey(
  control: Control,
  { name, plain }: { name: string; plain: string },
): Promise<CredentialListing> {
  const upstream = (await control.store.run("upstream.list", {})).find(one => one.name === name);
  if (upstream === undefined) {
    throw new StoreProblem("There is no upstream of this name. See them all with: wicketgate upstream list");
  }
  const { id: upstreamId, baseUrl } = upstream;
  if (baseUrl === null) throw new StoreProblem("This upstream is built in, and takes no key.");
  const checked = credentialField.safeParse(plain);
  if (!checked.success) {
    throw new StoreProblem(`The key ${checked.error.issues[0]?.message ?? "cannot be used"}.`);
  }
  const spec = credentialSpec(control, plain, baseUrl);
  return control.store.run("credential.add", { upstreamId, baseUrl, spec, by: byOf(control) });
}
