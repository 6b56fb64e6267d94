import { newest } from "../../api/newest.ts";
import { useApi, useCall } from "../../api/query.ts";
import { RemovalDialog } from "../../parts/removal-dialog.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { MODEL_READS, type Model } from "./model-reads.ts";
import { priceWords } from "./price-words.ts";
import { useSentence } from "./sentences.ts";

type Props = { model: Model; onClose: () => void; onRemoved: () => void };

export function RemoveDialog({ model: known, onClose, onRemoved }: Props) {
  const model = newest(useApi("GET /operator/models").data?.models, known);
  const say = useWords(priceWords);
  const tell = useSentence();
  const remove = useCall("DELETE /operator/models/{id}", {
    refresh: MODEL_READS,
    onDone: () => {
      toast(say("removed", { model: model.name }));
      onRemoved();
    },
  });
  const upstreams = model.upstreams.map(({ name }) => name).join(", ");
  return (
    <RemovalDialog
      title={say("removeTitle", { model: model.name })}
      obstacle={upstreams === "" ? null : <p>{say("removeServed", { upstreams })}</p>}
      action={say("removeAction")}
      onConfirm={() => remove.mutate({ params: { id: model.id } })}
      busy={remove.isPending}
      error={remove.error === null ? null : tell(remove.error)}
      onClose={onClose}
    >
      <p>{say("removeText")}</p>
    </RemovalDialog>
  );
}
