import { useCall } from "../../api/query.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { useSentence } from "../operator-models/sentences.ts";
import { type Holder, PLAN_READS, type Plan } from "./plan-reads.ts";
import { words } from "./words.ts";

type Props = { plan: Plan; holder: Holder; onClose: () => void };

export function EndDialog({ plan, holder, onClose }: Props) {
  const say = useWords(words);
  const tell = useSentence();
  const { account, email, subscription } = holder;
  const end = useCall("DELETE /operator/accounts/{id}/subscriptions/{subscription}", {
    refresh: PLAN_READS,
    onDone: () => {
      toast(say("ended", { plan: plan.name, email }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => end.mutate({ params: { id: account, subscription } })}
      title={say("endTitle", { plan: plan.name, email })}
      action={say("end")}
      busy={end.isPending}
      {...(end.error === null ? {} : { error: tell(end.error) })}
    >
      <p>{say("endText")}</p>
    </ConfirmDialog>
  );
}
