import { newest } from "../../api/newest.ts";
import { useApi, useCall } from "../../api/query.ts";
import { RemovalDialog } from "../../parts/removal-dialog.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { useSentence } from "../operator-models/sentences.ts";
import { PLAN_READS, type Plan } from "./plan-reads.ts";
import { words } from "./words.ts";

type Props = { plan: Plan; onClose: () => void; onRemoved: () => void };

export function RemoveDialog({ plan: known, onClose, onRemoved }: Props) {
  const plan = newest(useApi("GET /operator/plans").data?.plans, known);
  const say = useWords(words);
  const tell = useSentence();
  const remove = useCall("DELETE /operator/plans/{id}", {
    refresh: PLAN_READS,
    onDone: () => {
      toast(say("removed", { name: plan.name }));
      onRemoved();
    },
  });
  const count = plan.holders.length;
  return (
    <RemovalDialog
      title={say("removeTitle", { name: plan.name })}
      obstacle={count === 0 ? null : <p>{say("removeHeld", { count })}</p>}
      action={say("remove")}
      onConfirm={() => remove.mutate({ params: { id: plan.id } })}
      busy={remove.isPending}
      error={remove.error === null ? null : tell(remove.error)}
      onClose={onClose}
    >
      <p>{say("removeText")}</p>
    </RemovalDialog>
  );
}
