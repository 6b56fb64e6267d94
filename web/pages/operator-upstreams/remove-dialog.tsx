import { useCall } from "../../api/query.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { changeWords } from "./change-words.ts";
import { useSentence } from "./sentences.ts";
import { UPSTREAM_READS, type Upstream } from "./upstream-reads.ts";
import { onlyHere } from "./upstream-state.ts";

const NAMES_MAX = 12;

type Props = { one: Upstream; all: readonly Upstream[]; onClose: () => void; onGone?: () => void };

export function RemoveDialog({ one, all, onClose, onGone }: Props) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const { id, name } = one;
  const remove = useCall("DELETE /operator/upstreams/{id}", {
    refresh: UPSTREAM_READS,
    onDone: ({ unserved_models: left }) => {
      if (left.length === 0) toast(say("removed", { name }));
      else toast(say("removedUnserved", { name, count: left.length }), { tone: "bad" });
      onClose();
      onGone?.();
    },
  });
  const unserved = onlyHere(one, all);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { id } })}
      title={say("removeTitle", { name })}
      action={say("removeAction")}
      typeName={name}
      busy={remove.isPending}
      {...(remove.error === null ? {} : { error: tell(remove.error) })}
    >
      <p>{say("removeText")}</p>
      {unserved.length === 0 ? (
        <p>{say("removeNone")}</p>
      ) : (
        <>
          <p className="font-medium text-ink">{say("removeUnserved", { count: unserved.length })}</p>
          <ul className="max-h-40 list-disc overflow-y-auto pl-5 text-sm">
            {unserved.slice(0, NAMES_MAX).map(model => (
              <li key={model}>
                <code className="break-all">{model}</code>
              </li>
            ))}
            {unserved.length > NAMES_MAX ? (
              <li>{say("removeMore", { count: unserved.length - NAMES_MAX })}</li>
            ) : null}
          </ul>
        </>
      )}
    </ConfirmDialog>
  );
}
