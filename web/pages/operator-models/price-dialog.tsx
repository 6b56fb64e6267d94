import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { now } from "../../format/clock.ts";
import { formatPrice } from "../../format/money.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { MODEL_READS, type Model, type Suggested } from "./model-reads.ts";
import { differences, draftOf, type PriceDraft, type PriceProblems, priceOf, problemsOf } from "./price.ts";
import { PriceFields } from "./price-fields.tsx";
import { priceWords } from "./price-words.ts";
import { useSentence } from "./sentences.ts";
import { WhatIf } from "./what-if.tsx";

const NONE: PriceProblems = new Map();

type Props = { model: Model; suggested: Suggested | null; onClose: () => void };

/** A model's whole price, prefilled with what is suggested where it has none. */
export function PriceDialog({ model, suggested, onClose }: Props) {
  const say = useWords(priceWords);
  const tell = useSentence();
  const known = suggested?.prices.get(model.name) ?? null;
  const [draft, setDraft] = useState<PriceDraft>(() => draftOf(model.price ?? known));
  const [start, setStart] = useState("");
  const [isAsked, setAsked] = useState(false);
  const save = useCall("PATCH /operator/models/{id}", {
    refresh: MODEL_READS,
    onDone: (_, { body }) => {
      toast(say(body?.price_from === undefined ? "savedAll" : "planned", { model: model.name }));
      onClose();
    },
  });
  const from = start === "" ? null : new Date(start);
  const isPast = from !== null && from.getTime() <= now();
  const price = priceOf(draft);
  const isSame = price !== null && model.price !== null && differences(model.price, price).length === 0;
  const submit = () => {
    setAsked(true);
    if (price === null || isPast) return;
    const body = from === null ? { price } : { price, price_from: from.toISOString() };
    save.mutate({ params: { id: model.id }, body });
  };
  return (
    <FormDialog
      open
      size="lg"
      onClose={onClose}
      onSubmit={submit}
      title={say(model.price === null ? "priceNew" : "priceTitle", { model: model.name })}
      description={say("perMillion")}
      action={say(from === null ? "save" : "plan")}
      disabled={isSame && from === null}
      busy={save.isPending}
      {...(save.error === null ? {} : { error: tell(save.error) })}
    >
      {model.price === null && known !== null && suggested !== null ? (
        <SuggestedNote known={known} date={suggested.dated} draft={draft} onTake={setDraft} />
      ) : null}
      <PriceFields draft={draft} onChange={setDraft} problems={isAsked ? problemsOf(draft) : NONE} />
      {model.price === null ? null : (
        <>
          <Field
            label={say("from")}
            optional
            hint={say("fromHint")}
            className="sm:w-1/2"
            {...(isPast ? { error: say("fromPast") } : {})}
          >
            <TextInput type="datetime-local" value={start} onChange={setStart} />
          </Field>
          <WhatIf supposed={price === null || isSame ? null : { model: { id: model.id, price } }} />
        </>
      )}
    </FormDialog>
  );
}

type NoteProps = {
  known: NonNullable<Model["price"]>;
  date: string;
  draft: PriceDraft;
  onTake: (draft: PriceDraft) => void;
};

function SuggestedNote({ known, date, draft, onTake }: NoteProps) {
  const say = useWords(priceWords);
  const typed = priceOf(draft);
  const isTaken = typed !== null && differences(known, typed).length === 0;
  if (isTaken) return <Banner tone="info">{say("suggestedIn", { date })}</Banner>;
  const [input, output] = [known.input, known.output].map(usd => formatPrice(usd, say.language));
  return (
    <Banner
      tone="quiet"
      action={
        <Button size="sm" onClick={() => onTake(draftOf(known))}>
          {say("takeOver")}
        </Button>
      }
    >
      {say("suggestedOther", { date, input: input ?? "", output: output ?? "" })}
    </Banner>
  );
}
