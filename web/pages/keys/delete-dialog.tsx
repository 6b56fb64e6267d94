import { useErrorText } from "../../api/error-text.ts";
import { useCall } from "../../api/query.ts";
import { now } from "../../format/clock.ts";
import { formatRelative } from "../../format/time.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Key } from "./draft.ts";
import { onceWords } from "./once-words.ts";

type Props = { keyView: Key; onClose: () => void };

export function DeleteDialog({ keyView: key, onClose }: Props) {
  const say = useWords(onceWords);
  const tell = useErrorText();
  const remove = useCall("DELETE /keys/{id}", {
    refresh: ["GET /keys", "GET /usage/names"],
    onDone: () => {
      toast(say("deletedToast", { name: key.name }));
      onClose();
    },
  });
  const last = key.last_used;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { id: key.id } })}
      title={<span dir="auto">{say("deleteTitle", { name: key.name })}</span>}
      action={say("deleteAction")}
      typeName={key.name}
      busy={remove.isPending}
      error={remove.error === null ? undefined : tell(remove.error)}
    >
      <p>{say("deleteStops")}</p>
      <p>
        {last === null
          ? say("deleteNever")
          : say("deleteLast", {
              when: formatRelative(last.at, now(), say.language),
              tool: last.tool,
              address: last.address,
            })}{" "}
        {key.running > 0 ? say("deleteRunning", { count: key.running }) : null}
      </p>
      <p>{say("deleteStays")}</p>
      {key.state === "active" ? <p>{say("deleteInstead")}</p> : null}
    </ConfirmDialog>
  );
}
