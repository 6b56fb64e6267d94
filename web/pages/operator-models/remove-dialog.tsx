import { useCall } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { partWords } from "../../parts/part-words.ts";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { MODEL_READS, type Model } from "./model-reads.ts";
import { priceWords } from "./price-words.ts";
import { useSentence } from "./sentences.ts";

type Props = { model: Model; onClose: () => void; onRemoved: () => void };

export function RemoveDialog({ model, onClose, onRemoved }: Props) {
  const say = useWords(priceWords);
  const part = useWords(partWords);
  const tell = useSentence();
  const remove = useCall("DELETE /operator/models/{id}", {
    refresh: MODEL_READS,
    onDone: () => {
      toast(say("removed", { model: model.name }));
      onRemoved();
    },
  });
  const title = say("removeTitle", { model: model.name });
  if (model.upstreams.length > 0) {
    const upstreams = model.upstreams.map(({ name }) => name).join(", ");
    return (
      <Dialog
        open
        size="sm"
        onClose={onClose}
        title={title}
        footer={<Button onClick={onClose}>{part("close")}</Button>}
      >
        <p className="text-ink-2">{say("removeServed", { upstreams })}</p>
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { id: model.id } })}
      title={title}
      action={say("removeAction")}
      busy={remove.isPending}
      {...(remove.error === null ? {} : { error: tell(remove.error) })}
    >
      <p>{say("removeText")}</p>
    </ConfirmDialog>
  );
}
