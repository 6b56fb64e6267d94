import { useCall } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { partWords } from "../../parts/part-words.ts";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { useSentence } from "../operator-models/sentences.ts";
import { PLAN_READS, type Plan } from "./plan-reads.ts";
import { words } from "./words.ts";

type Props = { plan: Plan; onClose: () => void; onRemoved: () => void };

export function RemoveDialog({ plan, onClose, onRemoved }: Props) {
  const say = useWords(words);
  const part = useWords(partWords);
  const tell = useSentence();
  const remove = useCall("DELETE /operator/plans/{id}", {
    refresh: PLAN_READS,
    onDone: () => {
      toast(say("removed", { name: plan.name }));
      onRemoved();
    },
  });
  const title = say("removeTitle", { name: plan.name });
  if (plan.holders.length > 0) {
    return (
      <Dialog
        open
        size="sm"
        onClose={onClose}
        title={title}
        footer={<Button onClick={onClose}>{part("close")}</Button>}
      >
        <p className="text-ink-2">{say("removeHeld", { count: plan.holders.length })}</p>
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { id: plan.id } })}
      title={title}
      action={say("remove")}
      busy={remove.isPending}
      {...(remove.error === null ? {} : { error: tell(remove.error) })}
    >
      <p>{say("removeText")}</p>
    </ConfirmDialog>
  );
}
