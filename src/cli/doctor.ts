import { type Call, type Command, EXIT_FAILED, EXIT_OK, printJson, printLine } from "./command.ts";
import { checkClient } from "./doctor-client.ts";
import { checkInstallation } from "./doctor-installation.ts";
import { printable } from "./paint.ts";
import { readSettings } from "./settings.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "check a client's connection step by step or, with nothing given, this installation",
  positionals: [],
  options: {
    "base-url": {
      value: "URL",
      meaning: "the base URL that the client has; without it, the one of this installation",
    },
    key: { value: "KEY", meaning: "the key that the client has; it is never shown" },
    model: { value: "MODEL", meaning: "the model that the client asks for" },
  },
  run: doctor,
};

/** `note` is worth knowing and no fault. */
export type Step = { step: string; result: "ok" | "note" | "failed"; message: string; remedy?: string };

async function doctor(call: Call): Promise<number> {
  const config = readSettings(call.io);
  const baseUrl = call.text("base-url");
  const key = call.text("key");
  const model = call.text("model");
  const isClient = baseUrl !== null || key !== null || model !== null;
  const found = isClient
    ? await checkClient({ config, baseUrl, key, model })
    : await checkInstallation(call, config);
  const steps = found.map(step => withoutKey(step, key));
  const failed = steps.find(({ result }) => result === "failed") ?? null;
  if (call.json) printJson(call, { ok: failed === null, failed: failed?.step ?? null, steps });
  else print(call, steps, failed);
  return failed === null ? EXIT_OK : EXIT_FAILED;
}

/** A server that is not ours may send back whatever it was sent. */
function withoutKey(step: Step, key: string | null): Step {
  const clean = (text: string) =>
    printable(key === null || key === "" ? text : text.replaceAll(key, "(the key)"));
  const remedy = step.remedy === undefined ? {} : { remedy: clean(step.remedy) };
  return { ...step, message: clean(step.message), ...remedy };
}

function print(call: Call, steps: readonly Step[], failed: Step | null): void {
  const { green, yellow, red, bold } = call.paint;
  const marks = { ok: green("ok    "), note: yellow("note  "), failed: red("FAILED") };
  const width = Math.max(...steps.map(({ step }) => step.length));
  const indent = " ".repeat("FAILED".length + 2 + width + 2);
  for (const { step, result, message, remedy } of steps) {
    const text = result === "failed" ? red(message) : message;
    printLine(call, `${marks[result]}  ${step.padEnd(width)}  ${text}`);
    if (remedy !== undefined) printLine(call, `${indent}What to do: ${remedy}`);
  }
  printLine(call, "");
  printLine(
    call,
    failed === null
      ? green("Everything is well.")
      : red(`The first step that fails is ${bold(failed.step)}.`),
  );
}
