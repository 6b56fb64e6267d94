import { Check, X } from "lucide-react";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { IconButton } from "../../parts/icon-button.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { stepsWords } from "./steps-words.ts";
import type { Step } from "./use-first-steps.ts";

/** What an empty house needs, ticked off as it is done; the next step has the button. */
export function FirstSteps({ steps, onHide }: { steps: readonly Step[]; onHide: () => void }) {
  const say = useWords(stepsWords);
  const done = steps.filter(({ isDone }) => isDone).length;
  const next = steps.find(({ isDone }) => !isDone)?.name;
  if (next === undefined) {
    return (
      <Banner
        tone="ok"
        className="mb-3.5"
        title={say("allDone")}
        action={
          <Button size="sm" onClick={onHide}>
            {say("close")}
          </Button>
        }
      >
        {say("allDoneText")}
      </Banner>
    );
  }
  return (
    <Panel
      className="mb-3.5"
      title={say("title")}
      description={`${say("text")} ${say("progress", { done, all: steps.length })}`}
      actions={<IconButton label={say("hide")} icon={<X size={16} aria-hidden />} onClick={onHide} />}
    >
      <ol className="grid gap-1">
        {steps.map((step, at) => (
          <Row key={step.name} step={step} number={at + 1} isNext={step.name === next} />
        ))}
      </ol>
    </Panel>
  );
}

function Row({ step, number, isNext }: { step: Step; number: number; isNext: boolean }) {
  const say = useWords(stepsWords);
  const { name, isDone, place } = step;
  return (
    <li
      className={classNames(
        "flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg px-2.5 py-2",
        isNext && "bg-accent-soft",
      )}
    >
      <span
        aria-hidden
        className={classNames(
          "grid size-6 shrink-0 place-items-center rounded-full border font-medium text-xs",
          isDone ? "border-ok bg-ok-soft text-ok" : "border-line-strong text-ink-2",
        )}
      >
        {isDone ? <Check size={14} strokeWidth={3} /> : number}
      </span>
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium">
          {isNext ? (
            say(name)
          ) : (
            <TextLink to={place.to} search={place.search} className="text-ink! decoration-line-strong!">
              {say(name)}
            </TextLink>
          )}
          <span className="sr-only">{` (${say(isDone ? "isDone" : "isOpen")})`}</span>
        </p>
        {isDone ? null : <p className="text-ink-2 text-sm">{say(`${name}Text`)}</p>}
      </div>
      {isNext ? (
        <LinkButton size="sm" tone="primary" to={place.to} search={place.search}>
          {say(name)}
        </LinkButton>
      ) : null}
    </li>
  );
}
