import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { useWords } from "../../words/language-provider.tsx";
import {
  type Access,
  accessOf,
  type Chosen,
  chosenAtFirst,
  connectBody,
  lookBody,
  modelsOf,
  pricesOpen,
} from "./add-draft.ts";
import { addWords } from "./add-words.ts";
import { pairsOf, twiceIn } from "./model-lines.ts";
import { sentenceIn, useFieldError, useSentence } from "./sentences.ts";
import { type Found, type Preset, UPSTREAM_READS, type Upstream } from "./upstream-reads.ts";

export type Step = "preset" | "access" | "models" | "done";
export type Adding = ReturnType<typeof useAdding>;

const EMPTY: Access = { name: "", address: "", key: "" };
/** What the server says where a provider has no list: then names are entered, and nothing is wrong. */
const NO_LIST = /^Nothing lists/;

/** The models that are wanted: from a list, or by hand. */
function useModels() {
  const [found, setFound] = useState<readonly Found[]>([]);
  const [chosen, setChosen] = useState<Chosen>(new Map());
  const [lines, setLines] = useState("");
  const [isByHand, setByHand] = useState(false);
  const begin = (models: readonly Found[]) => {
    setFound(models);
    setChosen(chosenAtFirst(models));
    setByHand(models.length === 0);
  };
  return { found, chosen, setChosen, lines, setLines, isByHand, setByHand, begin };
}

/** What is asked of the server on the way. */
function useCalls(on: { found: (models: readonly Found[]) => void; made: (upstream: Upstream) => void }) {
  const look = useCall("POST /operator/upstreams/look", {
    onDone: ({ problem, models }) => {
      if (problem === null || NO_LIST.test(problem)) on.found(models);
    },
  });
  const test = useCall("POST /operator/upstreams/{id}/test");
  const connect = useCall("POST /operator/upstreams", {
    refresh: UPSTREAM_READS,
    onDone: upstream => {
      on.made(upstream);
      test.mutate({ params: { id: upstream.id }, body: {} });
    },
  });
  return { look, test, connect };
}

/** All that is known of an upstream that is being connected, and the way from step to step. */
export function useAdding(names: readonly string[]) {
  const say = useWords(addWords);
  const tell = useSentence();
  const [step, setStep] = useState<Step>("preset");
  const [preset, setPreset] = useState<Preset | null>(null);
  const [access, setAccess] = useState(EMPTY);
  const [isAsked, setAsked] = useState(false);
  const [made, setMade] = useState<Upstream | null>(null);
  const { begin, ...models } = useModels();
  const go = (to: Step) => {
    setAsked(false);
    setStep(to);
  };
  const toModels = (found: readonly Found[]) => {
    begin(found);
    go("models");
  };
  const toDone = (upstream: Upstream) => {
    setMade(upstream);
    go("done");
  };
  const { look, test, connect } = useCalls({ found: toModels, made: toDone });
  const refusal = step === "models" ? connect.error : look.error;
  const wrong = problems({ preset, access, names });
  const modelsWrong = modelsProblem(models);
  const next = () => {
    if (preset === null || look.isPending || connect.isPending) return;
    setAsked(true);
    if (step === "access" && Object.keys(wrong).length === 0) look.mutate({ body: lookBody(preset, access) });
    if (step !== "models" || modelsWrong !== null) return;
    const { isByHand, lines, found, chosen } = models;
    const wanted = isByHand ? { lines } : { list: modelsOf(found, chosen) };
    connect.mutate({ body: connectBody(preset, access, wanted) });
  };
  /** Forgets what was answered to what is changed now. */
  const start = (to: Step) => {
    look.reset();
    connect.reset();
    go(to);
  };
  const problem = step === "access" ? (look.data?.problem ?? null) : null;
  const trouble = problem === null ? null : sentenceIn(problem, say.language);
  return {
    ...{ step, preset, access, setAccess, ...models, made, test, next, isLooking: look.isPending },
    fieldError: useFieldError(refusal),
    isBusy: look.isPending || connect.isPending,
    /** By the field; only once somebody wanted to go on. */
    wrong: isAsked ? wrong : {},
    modelsWrong: isAsked ? modelsWrong : null,
    problem: trouble ?? (refusal === null ? null : tell(refusal)),
    /** It could not be looked at, and somebody who knows better may go on. */
    mayGoOn: trouble !== null,
    choosePreset: (one: Preset) => {
      setPreset(one);
      setAccess(accessOf(one, names));
      start("access");
    },
    goByHand: () => {
      begin([]);
      start("models");
    },
    back: () => start(step === "models" ? "access" : "preset"),
  };
}

type Wrong = { name?: "nameMissing" | "nameTaken"; address?: "addressMissing"; key?: "keyMissing" };

function problems(given: { preset: Preset | null; access: Access; names: readonly string[] }): Wrong {
  const { preset, access, names } = given;
  const name = access.name.trim();
  return {
    ...(name === "" ? { name: "nameMissing" } : names.includes(name) ? { name: "nameTaken" } : {}),
    ...(access.address.trim() === "" ? { address: "addressMissing" } : {}),
    ...(preset?.needs_key === true && access.key.trim() === "" ? { key: "keyMissing" } : {}),
  };
}

type ModelsWrong = { what: "modelsMissing" } | { what: "linesTwice" | "pricesWrong"; names: string };

function modelsProblem(given: {
  found: readonly Found[];
  chosen: Chosen;
  lines: string;
  isByHand: boolean;
}): ModelsWrong | null {
  const { found, chosen, lines, isByHand } = given;
  if (isByHand) {
    const pairs = pairsOf(lines);
    const twice = twiceIn(pairs);
    if (twice !== null) return { what: "linesTwice", names: twice };
    return pairs.length === 0 ? { what: "modelsMissing" } : null;
  }
  if (chosen.size === 0) return { what: "modelsMissing" };
  const { wrong } = pricesOpen(found, chosen);
  return wrong.length === 0 ? null : { what: "pricesWrong", names: wrong.join(", ") };
}
