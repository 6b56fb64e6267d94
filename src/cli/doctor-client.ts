import type { Config } from "../config.ts";
import { catalogue, fill, type Reason, type RefusalParams } from "../domain/errors.ts";
import { diagnoseKeyString } from "../domain/key-string.ts";
import type { Step } from "./doctor.ts";
import { readAddress } from "./doctor-address.ts";
import { type Answer, ask } from "./doctor-fetch.ts";

export type ClientSettings = {
  config: Config;
  baseUrl: string | null;
  key: string | null;
  model: string | null;
};

/** As a client would meet them, one after another, up to the first that fails. */
export async function checkClient({ config, baseUrl, key, model }: ClientSettings): Promise<Step[]> {
  const steps: Step[] = [];
  const went = (...found: Step[]) => {
    steps.push(...found);
    return found.every(({ result }) => result !== "failed");
  };
  if (key !== null && !went(checkKeyString(key))) return steps;
  const address = readAddress(baseUrl ?? `${localRoot(config)}/v1`);
  if (address.kind === "wrong") {
    went(failed("base_url", address.message, address.remedy));
    return steps;
  }
  const bare = key === null ? null : key.trim();
  if (!went(...(await checkServer(address, bare)))) return steps;
  if (bare === null) {
    went({
      step: "key",
      result: "note",
      message: "No key was given, so nothing is said of keys: add --key.",
    });
    return steps;
  }
  const query = model === null ? "" : `?model=${encodeURIComponent(model)}`;
  const answer = await ask(`${address.root}/v1/key${query}`, bare);
  for (const step of keySteps(answer)) if (!went(step)) return steps;
  if (model === null) {
    went({ step: "model", result: "note", message: "No model was given, so none is checked: add --model." });
  }
  return steps;
}

/** Where this installation listens, as a client on the same machine calls it. */
export function localRoot({ host, port }: Pick<Config, "host" | "port">): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const name = everywhere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function checkKeyString(key: string): Step {
  const found = diagnoseKeyString(key);
  if (found.kind === "generated" || found.kind === "custom") {
    return { step: "key_string", result: "ok", message: "The key is whole." };
  }
  const { reason, params } = keyStringRefusal(found);
  const { message, remedy } = catalogue[reason];
  return failed("key_string", fill(message, params), fill(remedy, params));
}

function keyStringRefusal(found: ReturnType<typeof diagnoseKeyString>): {
  reason: Reason;
  params: RefusalParams;
} {
  if (found.kind === "provider") {
    return { reason: "key_is_provider_key", params: { provider: found.provider, setting: found.setting } };
  }
  if (found.kind === "malformed") return { reason: "key_malformed", params: { problem: found.problem } };
  return { reason: "key_missing", params: {} };
}

/** Two steps out of one question, because what a wrong address answers tells what is wrong with it. */
async function checkServer(
  { base, root }: { base: string; root: string },
  key: string | null,
): Promise<Step[]> {
  const answer = await ask(`${base}/models`, key);
  const formed: Step = { step: "base_url", result: "ok", message: "The base URL has the right form." };
  if (!answer.heard) return [formed, failed("server", answer.message, answer.remedy)];
  if (answer.status >= 300 && answer.status < 400) {
    const where = answer.location === null ? "another address" : answer.location;
    const remedy =
      "Enter the address that it ends up at, with /v1 at its end; clients often drop the key on the way.";
    return [failed("base_url", `The server sends clients on to ${where}.`, remedy)];
  }
  const proper = base === root ? await ask(`${root}/v1/models`, key) : answer;
  if (!isWicketgate(answer) && !isWicketgate(proper)) {
    const remedy = "Check the host, the port and the path; a proxy in front may also answer in its place.";
    const message = `Something answers there (status ${answer.status}), but it is not a Wicketgate.`;
    return [formed, failed("server", message, remedy)];
  }
  const misled = refusalOf(proper.heard ? proper.body : answer.body);
  if (misled?.reason === "wrong_base_url") return [failed("base_url", misled.message, misled.remedy)];
  if (base === root) {
    const message = `${root} is the address for messages-style clients; OpenAI-style clients need ${root}/v1.`;
    const remedy = `Enter ${root}/v1 in an OpenAI-style client; a messages-style client is right as it is.`;
    return [failed("base_url", message, remedy)];
  }
  return [formed, { step: "server", result: "ok", message: "A Wicketgate answers there." }];
}

/** Only ours gives a reason with its refusals; its list of models is the one of both dialects. */
function isWicketgate(answer: Answer): boolean {
  if (!answer.heard) return false;
  const { body } = answer;
  return refusalOf(body) !== null || (answer.status === 200 && "data" in fieldsOf(body));
}

type Refused = { reason: string; message: string; remedy: string };

function refusalOf(body: unknown): Refused | null {
  const { reason, message, remedy } = fieldsOf(fieldsOf(body)["error"]);
  if (typeof reason !== "string" || typeof message !== "string") return null;
  return { reason, message, remedy: typeof remedy === "string" ? remedy : "" };
}

const STEPS_OK: Readonly<Record<string, string>> = {
  key: "The key is known and active.",
  account: "Its account is enabled.",
  group: "Its group is enabled.",
  model: "The model is in its group and has a price.",
  limits: "It is within its limits.",
  key_quota: "It has quota left, or needs none.",
  balance: "The balance or subscription pays.",
  upstream: "An upstream serves the model.",
};

function keySteps(answer: Answer): Step[] {
  if (!answer.heard) return [failed("server", answer.message, answer.remedy)];
  const refusal = refusalOf(answer.body);
  if (refusal !== null) return [failed("key", refusal.message, refusal.remedy)];
  const { checks } = fieldsOf(answer.body);
  if (!Array.isArray(checks)) {
    const message = `The server does not say what this key is (status ${answer.status}), so it is not a Wicketgate.`;
    return [failed("server", message, "Check the host, the port and the path.")];
  }
  return checks.map(fieldsOf).map(({ step, ok, message, remedy }) => {
    const name = String(step);
    if (ok === true) return { step: name, result: "ok", message: STEPS_OK[name] ?? "This is well." };
    return failed(name, String(message ?? "This fails."), String(remedy ?? "Ask the operator."));
  });
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function failed(step: string, message: string, remedy: string): Step {
  return { step, result: "failed", message, remedy };
}
