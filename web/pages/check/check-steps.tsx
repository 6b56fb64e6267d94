import { Check, Minus, X } from "lucide-react";
import type { ReactNode } from "react";
import { diagnoseKeyString } from "../../../src/domain/key-string.ts";
import type { Answer } from "../../api/client.ts";
import { useHouse } from "../../api/house.ts";
import { useSession } from "../../api/session.ts";
import { classNames } from "../../parts/class-names.ts";
import { CodeValue } from "../../parts/code-value.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { useRefusalText } from "../../refusals/refusal-text.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Say } from "../../words/say.ts";
import { baseUrlFault, faultText } from "./base-url.ts";
import { baseUrlWords } from "./base-url-words.ts";
import type { Settings } from "./check-form.tsx";
import { words } from "./words.ts";

export type Step = Answer<"POST /check">["steps"][number];

type Props = { steps: readonly Step[]; settings: Settings };

const DOTS = {
  ok: "bg-ok-soft text-ok",
  failed: "bg-bad-soft text-bad",
  not_reached: "bg-sunken text-ink-3",
};

/** Everything that could be wrong, in the order in which a request would fail. */
export function CheckSteps({ steps, settings }: Props) {
  return (
    <ol className="panel divide-y divide-line">
      {steps.map(step => (
        <StepLine key={step.step} step={step} settings={settings} />
      ))}
    </ol>
  );
}

function StepLine({ step, settings }: { step: Step; settings: Settings }) {
  const say = useWords(words);
  const { outcome } = step;
  const Icon = outcome === "ok" ? Check : outcome === "failed" ? X : Minus;
  const state = say(outcome === "ok" ? "passed" : outcome === "failed" ? "failed" : "notReached");
  return (
    <li className="grid grid-cols-[22px_minmax(0,1fr)] gap-3 px-[18px] py-[11px] phone:px-3.5">
      <span className={classNames("mt-px grid size-[22px] place-items-center rounded-full", DOTS[outcome])}>
        <Icon size={13} strokeWidth={2.6} aria-hidden />
        <span className="sr-only">{state}</span>
      </span>
      <div className="min-w-0">
        <h3 className={outcome === "not_reached" ? "text-ink-3" : "font-medium"}>
          {say(step.step === "model" ? "model_" : step.step)}
        </h3>
        {outcome === "failed" ? (
          <Failure step={step} settings={settings} />
        ) : (
          <p className={outcome === "ok" ? "text-ink-2" : "text-ink-3 text-sm"}>
            {quietText(step, settings, say)}
          </p>
        )}
      </div>
    </li>
  );
}

function quietText(step: Step, { key, model }: Settings, say: Say<(typeof words)["en"]>): string | null {
  if (step.outcome === "ok") {
    const isCustom = step.step === "key_whole" && diagnoseKeyString(key).kind === "custom";
    return isCustom ? say("key_wholeCustom") : say(`${step.step}Ok`);
  }
  const isOfModel = step.step === "model" || step.step === "upstream";
  return isOfModel && model.trim() === "" ? say("noModel") : null;
}

/** Where things are put right, for whoever is signed in. */
const PLACES = {
  key_state: { to: "/keys", word: "toKeys" },
  key_known: { to: "/keys", word: "toKeys" },
  group: { to: "/keys", word: "toKeys" },
  limits: { to: "/keys", word: "toKeys" },
  key_quota: { to: "/keys", word: "toKeys" },
  model: { to: "/models", word: "toModels" },
  upstream: { to: "/models", word: "toModels" },
  balance: { to: "/account", word: "toAccount" },
  account_limits: { to: "/account", word: "toAccount" },
} as const;

function Failure({ step, settings }: { step: Step; settings: Settings }) {
  const say = useWords(words);
  const { data: session } = useSession();
  const told = useFailureText(step, settings);
  const place = PLACES[step.step as keyof typeof PLACES];
  return (
    <>
      <p className="text-bad">{told.message}</p>
      {told.remedy === null ? null : <p className="text-ink-2">{told.remedy}</p>}
      {step.enter === null ? null : (
        <p className="mt-1 flex flex-wrap items-center gap-x-2 rounded-md bg-sunken py-1 pr-1 pl-3 text-ink-2">
          {say("enter")}
          <CodeValue value={step.enter} what={step.enter} />
        </p>
      )}
      {session === null || session === undefined || place === undefined ? null : (
        <LinkButton to={place.to} search={{}} size="sm" className="mt-2">
          {say(place.word)}
        </LinkButton>
      )}
    </>
  );
}

type Told = { message: ReactNode; remedy: string | null };

/** The server's own words, in Chinese by their reason. What is wrong with the address is said as the form says it. */
function useFailureText(step: Step, { base_url, style, model }: Settings): Told {
  const refusal = useRefusalText();
  const say = useWords(words);
  const sayFault = useWords(baseUrlWords);
  const { data: house } = useHouse();
  const { reason, message, remedy } = step;
  if (reason === null) return { message: message ?? "", remedy };
  const told = refusal({ reason, message: message ?? "", remedy: remedy ?? "" });
  if (step.step === "base_url") {
    const right = style === "openai" ? house?.openai_base_url : house?.messages_address;
    const isEmpty = base_url.trim() === "";
    const fault = right === undefined || isEmpty ? null : baseUrlFault(base_url, right);
    if (fault !== null) return { message: faultText(fault, sayFault), remedy: null };
    return { message: say.language === "en" ? message : sayFault(isEmpty ? "empty" : "wrong"), remedy: null };
  }
  if (say.language === "en") return { message: told.message, remedy: told.remedy };
  if (step.step === "model" && model !== model.trim()) return { message: sayFault("spaced"), remedy: null };
  return { message: told.message, remedy: told.remedy };
}
