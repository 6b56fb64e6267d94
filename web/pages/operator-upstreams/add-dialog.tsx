import { useEffect, useId, useRef } from "react";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { AddAccess } from "./add-access.tsx";
import { AddDone } from "./add-done.tsx";
import { AddModels } from "./add-models.tsx";
import { AddPreset } from "./add-preset.tsx";
import { addWords } from "./add-words.ts";
import { presetName } from "./preset-notes.ts";
import { type Adding, useAdding } from "./use-adding.ts";

type Props = {
  /** Of those that are there. */
  names: readonly string[];
  onClose: () => void;
  /** Shows one in its panel. */
  onOpen: (id: string) => void;
};

/** From a provider's name to a test call, in one dialog: whom, its key, its models. */
export function AddDialog({ names, onClose, onOpen }: Props) {
  const say = useWords(addWords);
  const adding = useAdding(names);
  const formId = useId();
  const form = useRef<HTMLFormElement>(null);
  const { step } = adding;
  useFirstField(form, step);
  const { preset } = adding;
  const name = preset === null ? say("title") : presetName(preset, say.language);
  const titles = { preset: say("title"), access: name, models: name, done: say("title") };
  const texts = {
    preset: say("stepPreset"),
    access: say("stepAccess"),
    models: say("stepModels"),
    done: say("stepDone"),
  };
  return (
    <Dialog
      open
      size="lg"
      sticky={step !== "preset"}
      onClose={onClose}
      title={titles[step]}
      description={texts[step]}
      footer={<Footer adding={adding} formId={formId} onClose={onClose} onOpen={onOpen} />}
    >
      <form
        ref={form}
        id={formId}
        noValidate
        className="grid grid-cols-[minmax(0,1fr)] gap-3.5"
        onSubmit={event => {
          event.preventDefault();
          event.stopPropagation();
          // Enter in the search takes the first that is left.
          if (step === "preset") form.current?.querySelector<HTMLElement>("[data-preset]")?.click();
          else adding.next();
        }}
      >
        {step === "preset" ? <AddPreset onChoose={adding.choosePreset} /> : null}
        {step === "access" ? <AddAccess adding={adding} /> : null}
        {step === "models" ? <AddModels adding={adding} /> : null}
        {step === "done" ? <AddDone adding={adding} /> : null}
        {adding.problem === null ? null : <Banner tone="bad">{adding.problem}</Banner>}
      </form>
    </Dialog>
  );
}

/** Each step begins where something is typed. */
function useFirstField(form: { current: HTMLFormElement | null }, step: Adding["step"]): void {
  const last = useRef(step);
  useEffect(() => {
    if (last.current === step) return;
    last.current = step;
    const field = form.current?.querySelector<HTMLElement>(
      "[data-first], input:not([type='hidden']), textarea",
    );
    field?.focus();
  }, [form, step]);
}

type FooterProps = Omit<Props, "names"> & { adding: Adding; formId: string };

function Footer({ adding, formId, onClose, onOpen }: FooterProps) {
  const say = useWords(addWords);
  const { step, made } = adding;
  if (step === "done" && made !== null) {
    return (
      <>
        <Button onClick={() => onOpen(made.id)}>{say("open")}</Button>
        <Button tone="primary" data-first onClick={onClose}>
          {say("done")}
        </Button>
      </>
    );
  }
  if (step === "preset") return <Button onClick={onClose}>{say("cancel")}</Button>;
  return (
    <>
      <Button onClick={adding.back}>{say("back")}</Button>
      <Button tone="primary" type="submit" form={formId} busy={adding.isBusy}>
        {say(step === "access" ? "look" : "connect")}
      </Button>
    </>
  );
}
