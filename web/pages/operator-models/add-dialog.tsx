import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useCall } from "../../api/query.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { MODEL_READS, type Model } from "./model-reads.ts";
import { EMPTY, type PriceDraft, type PriceProblems, priceOf, problemsOf } from "./price.ts";
import { PriceFields } from "./price-fields.tsx";
import { priceWords } from "./price-words.ts";
import { useSentence } from "./sentences.ts";

const NONE: PriceProblems = new Map();
const NAME_MAX = 200;

/** A count of tokens as it is sent; nothing where it was left empty. */
export function tokensOf(text: string): number | null {
  return /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : null;
}

function isUntouched(draft: PriceDraft): boolean {
  return Object.values(draft).every(value => value.length === 0);
}

export function AddDialog({ models, onClose }: { models: readonly Model[]; onClose: () => void }) {
  const say = useWords(priceWords);
  const tell = useSentence();
  const [name, setName] = useState("");
  const [facts, setFacts] = useState({ context: "", output: "" });
  const [draft, setDraft] = useState<PriceDraft>(EMPTY);
  const [isAsked, setAsked] = useState(false);
  const add = useCall("POST /operator/models", {
    refresh: MODEL_READS,
    onDone: model => {
      toast(say("added", { model: model.name }));
      onClose();
    },
  });
  const given = name.trim();
  const problem =
    given === ""
      ? say("nameMissing")
      : /[\s*]/.test(given) || given.length > NAME_MAX
        ? say("nameWrong")
        : models.some(model => model.name === given)
          ? say("nameTaken")
          : null;
  const isPriceless = isUntouched(draft);
  const price = isPriceless ? null : priceOf(draft);
  const [context, output] = [tokensOf(facts.context), tokensOf(facts.output)];
  const isAtName = add.error instanceof ApiError && add.error.field("name") !== undefined;
  const error = isAtName ? tell(add.error) : isAsked ? problem : null;
  const submit = () => {
    setAsked(true);
    if (problem !== null || (!isPriceless && price === null)) return;
    add.mutate({
      body: {
        name: given,
        ...(context === null ? {} : { context_tokens: context }),
        ...(output === null ? {} : { max_output_tokens: output }),
        ...(price === null ? {} : { price }),
      },
    });
  };
  return (
    <FormDialog
      open
      size="lg"
      onClose={onClose}
      onSubmit={submit}
      title={say("addTitle")}
      description={say("addText")}
      action={say("addAction")}
      busy={add.isPending}
      {...(add.error === null || isAtName ? {} : { error: tell(add.error) })}
    >
      <Field label={say("name")} {...(error === null ? {} : { error })}>
        <TextInput mono value={name} onChange={setName} autoComplete="off" spellCheck={false} />
      </Field>
      <FactFields facts={facts} onChange={setFacts} />
      <p className="-mb-2 text-ink-3 text-xs">{say("laterPrice")}</p>
      <PriceFields
        draft={draft}
        onChange={setDraft}
        problems={isAsked && !isPriceless ? problemsOf(draft) : NONE}
      />
    </FormDialog>
  );
}

type Facts = { context: string; output: string };

export function FactFields({ facts, onChange }: { facts: Facts; onChange: (facts: Facts) => void }) {
  const say = useWords(priceWords);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label={say("context")} optional>
        <NumberInput
          value={facts.context}
          onChange={context => onChange({ ...facts, context })}
          placeholder={say("unknown")}
        />
      </Field>
      <Field label={say("maxOutput")} optional>
        <NumberInput
          value={facts.output}
          onChange={output => onChange({ ...facts, output })}
          placeholder={say("unknown")}
        />
      </Field>
    </div>
  );
}
