import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { FactFields, tokensOf } from "./add-dialog.tsx";
import { MODEL_READS, type Model } from "./model-reads.ts";
import { priceWords } from "./price-words.ts";
import { useSentence } from "./sentences.ts";

const textOf = (count: number | null) => (count === null ? "" : String(count));

export function FactsDialog({ model, onClose }: { model: Model; onClose: () => void }) {
  const say = useWords(priceWords);
  const tell = useSentence();
  const [facts, setFacts] = useState({
    context: textOf(model.context_tokens),
    output: textOf(model.max_output_tokens),
  });
  const save = useCall("PATCH /operator/models/{id}", {
    refresh: MODEL_READS,
    onDone: () => {
      toast(say("factsDone", { model: model.name }));
      onClose();
    },
  });
  const [context, output] = [tokensOf(facts.context), tokensOf(facts.output)];
  const isSame = context === model.context_tokens && output === model.max_output_tokens;
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={() =>
        save.mutate({
          params: { id: model.id },
          body: { context_tokens: context, max_output_tokens: output },
        })
      }
      title={say("factsTitle")}
      description={model.name}
      action={say("saveFacts")}
      disabled={isSame}
      busy={save.isPending}
      {...(save.error === null ? {} : { error: tell(save.error) })}
    >
      <FactFields facts={facts} onChange={setFacts} />
    </FormDialog>
  );
}
