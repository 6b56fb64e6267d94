import type { z } from "zod";
import { catalogue, fill, type Reason } from "../../domain/errors.ts";
import type { KeyCheck } from "../../domain/key-check.ts";
import { keyHash } from "../../domain/key-hash.ts";
import { diagnoseKeyString, type KeyDiagnosis } from "../../domain/key-string.ts";
import { type checkForm, checkStep } from "../contract/house.ts";
import { addressOwner, throttle, throttleOf } from "../sign-in/throttle.ts";
import { baseUrlProblem, rightBaseUrl } from "./check-base-url.ts";
import type { Handler, Handlers, Visit } from "./visit.ts";

type Step = z.output<typeof checkStep>;
type StepName = Step["step"];
type Form = z.output<typeof checkForm>;

const STEPS = checkStep.shape.step.options;
/** What is looked at once it is known whose key it is. */
const REST = STEPS.slice(STEPS.indexOf("key_known") + 1);
const OF_THE_MODEL: ReadonlySet<StepName> = new Set(["model", "upstream"]);
const NO_MODEL = "No model was entered, so this was not looked at.";

/** Everything that a client could have been given wrongly, in the order in which it would fail. Nothing is kept of it. */
const check: Handler<"POST /check"> = async (visit, { body }) => {
  await throttle(visit, throttleOf("check", addressOwner(visit.address)));
  const diagnosis = diagnoseKeyString(body.key);
  const isWhole = diagnosis.kind === "generated" || diagnosis.kind === "custom";
  const steps = [baseUrlStep(body, visit.root), keyWholeStep(diagnosis)];
  const found = isWhole ? await chainOf(diagnosis.key, body.model.trim(), visit) : null;
  if (!isWhole) steps.push(notReached("key_known"));
  else steps.push(found === null ? failed("key_known", "key_unknown") : passed("key_known"));
  for (const step of REST) steps.push(found === null ? notReached(step) : restStep(step, body, found));
  return { steps };
};

function chainOf(key: string, model: string, { desk }: Visit): Promise<readonly KeyCheck[] | null> {
  return desk.checkKey(keyHash(desk.secrets.lookup, key), model === "" ? null : model);
}

function baseUrlStep({ base_url, style }: Form, root: string): Step {
  const message = baseUrlProblem(base_url, { root, style });
  if (message === null) return passed("base_url");
  const baseUrl = rightBaseUrl(root, style);
  return { ...failed("base_url", "wrong_base_url", { baseUrl }), message, enter: baseUrl };
}

/** A string of one's own choice carries no checksum, so all of it may be right. */
function keyWholeStep(diagnosis: KeyDiagnosis): Step {
  switch (diagnosis.kind) {
    case "generated":
    case "custom":
      return passed("key_whole");
    case "missing":
      return { ...failed("key_whole", "key_missing"), message: "No key was entered." };
    case "provider":
      return failed("key_whole", "key_is_provider_key", {
        provider: diagnosis.provider,
        setting: diagnosis.setting,
      });
    case "malformed":
      return failed("key_whole", "key_malformed", { problem: diagnosis.problem });
  }
}

function restStep(step: StepName, { model }: Form, chain: readonly KeyCheck[]): Step {
  const bare = model.trim();
  if (OF_THE_MODEL.has(step) && bare === "") return { ...notReached(step), message: NO_MODEL };
  // Whether anybody serves a model is no question where the key could not call it.
  if (step === "upstream" && chain.some(link => link.step === "model" && !link.ok)) return notReached(step);
  const found = chain.find(link => (link.step === "key" ? "key_state" : link.step) === step);
  if (found === undefined) return notReached(step);
  if (!found.ok) {
    const { reason = null, cause = null, message = null, remedy = null } = found;
    return { step, outcome: "failed", reason, cause, message, remedy, enter: null };
  }
  if (step !== "model" || bare === model) return passed(step);
  const message = "The model's name has a space before or behind it.";
  return { ...failed(step, "model_not_in_group"), message, remedy: "Enter the name alone.", enter: bare };
}

function passed(step: StepName): Step {
  return { step, outcome: "ok", ...NOTHING_TO_SAY };
}

function notReached(step: StepName): Step {
  return { step, outcome: "not_reached", ...NOTHING_TO_SAY };
}

const NOTHING_TO_SAY = { reason: null, cause: null, message: null, remedy: null, enter: null };

function failed(step: StepName, reason: Reason, params: Record<string, string> = {}): Step {
  const { cause, message, remedy } = catalogue[reason];
  const told = { message: fill(message, params), remedy: fill(remedy, params) };
  return { step, outcome: "failed", reason, cause, ...told, enter: null };
}

export const checkHandlers = { "POST /check": check } satisfies Partial<Handlers>;
