import { resolve } from "node:path";
import type { ModelPair, UpstreamForm } from "../console/upstream-form.ts";
import type { Draft, Survey } from "../console/upstreams.ts";
import { UPSTREAM_KINDS } from "../domain/catalogue.ts";
import { type Call, type Command, EXIT_OK } from "./command.ts";
import { nearest } from "./nearest.ts";
import { printable } from "./paint.ts";
import { Failure, UsageProblem } from "./problem.ts";
import { clock, withSession } from "./session.ts";
import { readSettings } from "./settings.ts";
import { printAdded } from "./upstream-added.ts";
import { KEY_OPTIONS, readUpstreamKeys } from "./upstream-keys.ts";

export const upstreamAddCommand: Command = {
  name: "upstream add",
  summary: "connect an upstream: check it, choose its models, save all of it or nothing",
  positionals: ["NAME"],
  options: {
    kind: { value: "KIND", required: true, meaning: "what it is; see above" },
    "base-url": { value: "URL", meaning: "its address, where it is not the usual one of the kind" },
    speaks: {
      value: "LIST",
      meaning: "its dialects, where they are not the usual ones: chat,responses,messages",
    },
    ...KEY_OPTIONS,
    models: {
      value: "LIST",
      meaning: "its models: a,b or public=known, where it knows them by another name",
    },
    all: { meaning: "every model that it lists" },
    priority: { value: "N", meaning: "lower ones are asked first (0)" },
    weight: { value: "N", meaning: "share among those of the same priority (1)" },
    "max-concurrency": { value: "N", meaning: "requests that each instance has there at once (no limit)" },
    probe: { value: "MINUTES", meaning: "ask it something small this often while nobody else does (off)" },
    prices: { value: "FILE", meaning: "a newer list of prices than the one that comes with Wicketgate" },
    "no-check": { meaning: "save it without asking it anything" },
  },
  details: `KIND is one of ${kindLines()}.
The key is never an argument, where other programs could read it. Of several keys, each line of standard input is one,
or each variable: --api-key-env A,B. Requests take turns with them. Models that are new here get a suggested price,
or none: those are refused until they have one.`,
  run: add,
};

const SHOWN_MAX = 40;

async function add(call: Call): Promise<number> {
  // Loaded only here, like everything that a running gateway has no use for.
  const { needsCredential, saveUpstream, surveyUpstream } = await import("../console/upstreams.ts");
  const { withNetwork } = await import("../console/upstream-network.ts");
  const kind = call.need("kind");
  if (!UPSTREAM_KINDS.some(known => known === kind)) throw unknownKind(kind);
  const settings = readSettings(call.io);
  const models = readModels(call);
  const prices = await readPrices(call);
  const form: UpstreamForm = {
    name: call.positionals[0] ?? "",
    kind,
    baseUrl: call.text("base-url"),
    speaks:
      call
        .text("speaks")
        ?.split(",")
        .map(item => item.trim()) ?? null,
    apiKeys: await readUpstreamKeys(call, needsCredential(kind)),
    priority: call.text("priority"),
    weight: call.text("weight"),
    maxConcurrency: call.text("max-concurrency"),
    probe: call.text("probe"),
  };
  const survey = call.flag("no-check")
    ? await surveyUpstream({ form, models, network: null })
    : await withNetwork({ settings, clock }, network => surveyUpstream({ form, models, network }));
  const draft = draftOf(survey);
  const saved = await withSession(call, "create", ({ control }) => saveUpstream(control, draft, prices));
  printAdded(call, { saved, source: prices.source, draft });
  return EXIT_OK;
}

function kindLines(): string {
  return UPSTREAM_KINDS.join(", ").replace(/(.{80,110}?) /g, "$1\n");
}

function unknownKind(kind: string): UsageProblem {
  const meant = nearest(kind, UPSTREAM_KINDS);
  const hint = meant === null ? "Anything else is openai-compatible or anthropic-compatible." : null;
  return new UsageProblem(
    `--kind must be one of ${UPSTREAM_KINDS.join(", ")}.`,
    hint ?? `Did you mean --kind ${meant}?`,
  );
}

function readModels(call: Call): ModelPair[] | "all" | null {
  const text = call.text("models");
  if (call.flag("all")) {
    if (text === null) return "all";
    throw new UsageProblem("--all and --models exclude each other.");
  }
  if (text === null) return null;
  const pairs = text.split(",").map((item): ModelPair => {
    const [name = "", ...known] = item.trim().split("=");
    return [name, known.length === 0 ? name : known.join("=")];
  });
  const names = pairs.map(([name]) => name);
  const isWhole = pairs.every(pair => !pair.includes(""));
  if (!isWhole) throw new UsageProblem("--models must be names with commas between: a,b or public=known.");
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UsageProblem(`--models names “${twice}” twice.`);
  return pairs;
}

async function readPrices(call: Call) {
  const { PRICE_FILE_BYTES_MAX, priceCatalogue } = await import("../console/price-catalogue.ts");
  const name = call.text("prices");
  const file =
    name === null ? null : Bun.file(resolve(call.io.cwd ?? ".", name)).slice(0, PRICE_FILE_BYTES_MAX);
  const text = await file?.text().catch(() => null);
  if (text === null) throw new Failure(`The file ${name} of --prices cannot be read.`);
  const catalogue = await priceCatalogue(text ?? null);
  if ("problem" in catalogue) throw new Failure(`The file ${name} of --prices ${catalogue.problem}.`);
  return catalogue;
}

const OPTIONS: Readonly<Record<string, string>> = {
  name: "NAME",
  base_url: "--base-url",
  api_key: "The key",
  api_keys: "The list of keys",
  max_concurrency: "--max-concurrency",
  models: "--models",
};

/** These depend on the world outside, so the command was not called wrongly. */
const OUTSIDE = ["base_url", "api_key", "api_keys"];

function draftOf(survey: Survey): Draft {
  if ("draft" in survey) return survey.draft;
  if ("trouble" in survey) throw refused(survey.trouble);
  if ("toChooseFrom" in survey) {
    const { toChooseFrom } = survey;
    const shown = toChooseFrom.slice(0, SHOWN_MAX).join(", ");
    const more = toChooseFrom.length > SHOWN_MAX ? ` and ${toChooseFrom.length - SHOWN_MAX} more` : "";
    throw refused(
      `It answers: choose with --models NAME,NAME, or take all ${toChooseFrom.length} with --all. It lists ${shown}${more}.`,
    );
  }
  if ("unlisted" in survey) throw notListed(survey);
  const [first] = survey.problems;
  const field = first?.field ?? "name";
  const sentence = `${OPTIONS[field] ?? `--${field}`} ${first?.problem ?? "is wrong"}.`;
  throw OUTSIDE.includes(field) ? refused(sentence) : new UsageProblem(sentence);
}

function notListed({ unlisted, listed, url }: Extract<Survey, { unlisted: unknown }>): Failure {
  const names = unlisted.slice(0, SHOWN_MAX).join(", ");
  const meant = nearest(unlisted[0] ?? "", listed);
  const hint =
    meant === null
      ? "correct the name, give public=known, or add --no-check if it is right all the same"
      : `did you mean ${meant}? If the name is right all the same, add --no-check`;
  return refused(`${url} does not list ${names}: ${hint}.`);
}

/** It may hold what the upstream said, which is a stranger's text. */
function refused(sentence: string): Failure {
  return new Failure(`${printable(sentence)} Nothing is saved.`);
}
