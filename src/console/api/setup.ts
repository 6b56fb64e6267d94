import type { Catalogue } from "../../domain/catalogue.ts";
import { usableModels } from "../../domain/usable-models.ts";
import type { HeldKey } from "../../store/keys-of-account.ts";
import type { SetupModel } from "../setup/scene.ts";
import { setupTexts } from "../setup/setup-texts.ts";
import { ownKey } from "./keys.ts";
import { fieldProblem } from "./keys-form.ts";
import type { Handlers } from "./visit.ts";

export const setupHandlers = {
  "GET /keys/{id}/setup": async (visit, { params, query }) => {
    const key = await ownKey(visit, params.id);
    const models = modelsOf(key, visit.desk.catalogue());
    const model = chosenModel(models, query.model);
    return setupTexts({ root: visit.root, models, model, language: query.language ?? "en" });
  },
} satisfies Pick<Handlers, "GET /keys/{id}/setup">;

/** What the key can call; none while its group is disabled. */
export function modelsOf({ group }: HeldKey, catalogue: Catalogue): SetupModel[] {
  const known = catalogue.groups.get(group.id);
  if (known === undefined || !group.enabled) return [];
  return usableModels(catalogue, known).map(({ name, contextTokens }) => ({ name, contextTokens }));
}

export function chosenModel(models: readonly SetupModel[], wanted: string | undefined): string | null {
  if (wanted === undefined || models.some(({ name }) => name === wanted)) return wanted ?? null;
  throw fieldProblem("model", "The key's group does not have this model now. Choose one of its models.");
}
