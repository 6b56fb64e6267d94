import type { TestedModel, TestedUpstream } from "../console/upstream-test.ts";
import { type Call, type Command, EXIT_FAILED, EXIT_OK, printJson, printLine } from "./command.ts";
import { printable } from "./paint.ts";
import { clock, withSession } from "./session.ts";

export const upstreamTestCommand: Command = {
  name: "upstream test",
  summary: "ask an upstream for its models and for one short answer of each",
  positionals: ["NAME"],
  options: { model: { value: "MODEL", meaning: "try this model alone" } },
  details: `Each answer costs what a few words cost there; at most five models are tried. The calls are made as the gateway
makes them, with what is stored, and nothing is changed or charged to anybody here.`,
  run: test,
};

const ANSWER_CHARACTERS_MAX = 60;

async function test(call: Call): Promise<number> {
  // Loaded only here, like everything that a running gateway has no use for.
  const { testUpstream } = await import("../console/upstream-test.ts");
  const { withNetwork } = await import("../console/upstream-network.ts");
  const name = call.positionals[0] ?? "";
  const model = call.text("model");
  const tested = await withSession(call, "refuse", ({ config, control }) =>
    withNetwork({ settings: config, clock }, network => testUpstream(control, { name, model, network })),
  );
  if (call.json) printJson(call, toJson(tested));
  else print(call, tested);
  return isGood(tested) ? EXIT_OK : EXIT_FAILED;
}

/** A server without a list of models can still answer. */
function isGood({ models, keys, list }: TestedUpstream): boolean {
  if (keys.some(({ problem }) => problem !== null)) return false;
  if (models.length > 0) return models.every(one => !("problem" in one));
  return list === null || !("problem" in list);
}

function print(call: Call, { list, models, keys, left }: TestedUpstream): void {
  const { green, red, yellow } = call.paint;
  if (list !== null) {
    if ("problem" in list) printLine(call, `${yellow("!")} ${printable(list.problem)}`);
    else printLine(call, `${green("✓")} it lists ${list.count === 1 ? "one model" : `${list.count} models`}`);
  }
  for (const one of models) {
    const mark = "problem" in one ? red("✗") : green("✓");
    printLine(call, `${mark} ${printable(`${one.model} (${one.dialect}): ${outcome(one)}`)}`);
  }
  for (const { id, problem } of keys) {
    const mark = problem === null ? green("✓") : red("✗");
    printLine(call, `${mark} the key ${id}: ${printable(problem ?? "is taken")}`);
  }
  if (left > 0) printLine(call, `${left} more were not tried: name one with --model.`);
}

function outcome(one: TestedModel): string {
  if ("problem" in one) return one.problem;
  const said = one.text.trim().replace(/\s+/g, " ");
  const cut = said.length > ANSWER_CHARACTERS_MAX ? `${said.slice(0, ANSWER_CHARACTERS_MAX)}…` : said;
  const answer = cut === "" ? "an answer without words" : `“${cut}”`;
  return `first byte after ${one.firstByteMs} ms, all of it after ${one.durationMs} ms: ${answer}`;
}

function toJson({ name, list, models, keys, left }: TestedUpstream) {
  return {
    name,
    list: list === null ? null : "problem" in list ? { problem: list.problem } : { models: list.count },
    models: models.map(one => {
      const { model, known, dialect } = one;
      const head = { model, upstream_name: known, dialect };
      return "problem" in one
        ? { ...head, ok: false, problem: one.problem }
        : {
            ...head,
            ok: true,
            first_byte_ms: one.firstByteMs,
            duration_ms: one.durationMs,
            answer: one.text,
          };
    }),
    keys: keys.map(({ id, problem }) => ({
      id,
      ok: problem === null,
      ...(problem === null ? {} : { problem }),
    })),
    not_tried: left,
  };
}
