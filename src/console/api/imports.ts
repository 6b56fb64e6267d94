import { keyState } from "../../domain/api-key.ts";
import { keyHash } from "../../domain/key-hash.ts";
import type { HeldKey } from "../../store/keys-of-account.ts";
import { importLinks } from "../imports/import-links.ts";
import { importWords } from "../imports/import-words.ts";
import { openCopy } from "../keys.ts";
import { demandRecent } from "./access.ts";
import { noSuchKey, ownKey } from "./keys.ts";
import { fieldProblem } from "./keys-form.ts";
import { ConsoleProblem } from "./problem.ts";
import { chosenModel, modelsOf } from "./setup.ts";
import type { Handlers, SignedIn } from "./visit.ts";

const SLUG_CHARACTERS = 10;

export const importHandlers = {
  "POST /keys/{id}/imports": async (visit, { params, body }) => {
    const key = await ownKey(visit, params.id);
    if (keyState(key, visit.nowMs) === "deleted") {
      throw new ConsoleProblem("conflict", `The key “${key.name}” is deleted, so no client can use it.`);
    }
    const string = await stringOf(visit, key, body.string);
    const models = modelsOf(key, visit.desk.catalogue());
    const model = chosenModel(models, body.model);
    if (models.length === 0) {
      const { name } = key.group;
      throw new ConsoleProblem(
        "conflict",
        `The group “${name}” has no model at the moment, so there is nothing to set a client up with.`,
      );
    }
    const links = importLinks({
      ...{ root: visit.root, string, models, model },
      title: `Wicketgate ${key.name}`,
      slug: `wicketgate-${key.id.slice(-SLUG_CHARACTERS)}`,
      words: importWords(body.language ?? "en"),
    });
    return { links };
  },
} satisfies Pick<Handlers, "POST /keys/{id}/imports">;

/** The one that was just made and is still on the screen, or the sealed copy for whoever proves again who they are. */
async function stringOf(visit: SignedIn, key: HeldKey, given: string | undefined): Promise<string> {
  const { control, visitor, desk } = visit;
  if (given === undefined) demandRecent(visit);
  const copy = await desk.store.report("key.sealed_copy", { accountId: visitor.id, id: key.id });
  if (copy === null) throw noSuchKey();
  const { hash, sealed } = copy;
  if (given !== undefined) {
    if (keyHash(control.secrets.lookup, given) === hash) return given;
    throw fieldProblem("string", "This is not the present string of this key.");
  }
  const opened = sealed === null ? null : openCopy(control, { hash, sealed });
  if (opened !== null) return opened;
  throw new ConsoleProblem(
    "conflict",
    "No copy of this key's string is kept here. Rotate the key, and import the new string while it is shown.",
  );
}
