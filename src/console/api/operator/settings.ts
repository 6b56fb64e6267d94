import type { settingEndpoints } from "../../contract/operator/settings.ts";
import { changeSettings, listSettings, type NamedProblem, removeSealedCopies } from "../../settings.ts";
import { oidcService } from "../../sign-in/oidc-service.ts";
import { ConsoleProblem } from "../problem.ts";
import type { Handlers, Visit } from "../visit.ts";

/** Loaded where the house has such a service. */
const library = () => import("../../sign-in/oidc.ts");

export const settingHandlers = {
  "GET /operator/settings": ({ control }) => settingsView(control),

  "PATCH /operator/settings": async ({ control, desk }, { body }) => {
    const { settings, remove_sealed_copies: isToRemove = false } = body;
    if (isToRemove) await demandNoCopies(control, settings["sealed_copies"]);
    const problems = await changeSettings(control, settings);
    if (problems.length > 0) throw wrong(problems);
    await desk.refresh();
    if (isToRemove) await removeSealedCopies(control);
    return settingsView(control);
  },

  "GET /operator/settings/sealed-copies": async ({ desk }) => ({
    keys: await desk.store.report("settings.copies", {}),
  }),

  "POST /operator/settings/sign-in-test": async ({ desk }) => {
    const service = oidcService(desk);
    if (service === null) {
      throw new ConsoleProblem(
        "conflict",
        "There is no sign-in service yet: set its issuer and client id first.",
      );
    }
    const { issuerTrouble } = await library();
    return { issuer: service.issuer, problem: await issuerTrouble(service) };
  },
} satisfies Pick<Handlers, keyof typeof settingEndpoints>;

async function settingsView(control: Visit["control"]) {
  return { settings: await listSettings(control) };
}

/** Copies are removed where none are made any more, and not while they still are. */
async function demandNoCopies(control: Visit["control"], given: string | null | undefined): Promise<void> {
  const known = (await listSettings(control)).find(({ name }) => name === "sealed_copies");
  const value =
    known?.from === "environment" || given === undefined ? known?.value : (given ?? known?.default);
  if (value === "off") return;
  const message = "Copies are removed only where sealed_copies is off, or is switched off with it.";
  throw new ConsoleProblem("invalid", message, { fields: [{ path: "remove_sealed_copies", message }] });
}

function wrong(problems: readonly NamedProblem[]): ConsoleProblem {
  const fields = problems.map(({ name, problem }) => ({
    path: `settings.${name}`,
    message: sentence(problem),
  }));
  const [first] = problems;
  const message = `“${first?.name ?? ""}” ${first?.problem ?? "is not right"}.`;
  return new ConsoleProblem("invalid", message, { fields });
}

/** At its field the name stands already. */
function sentence(problem: string): string {
  return `${problem.slice(0, 1).toUpperCase()}${problem.slice(1)}.`;
}
