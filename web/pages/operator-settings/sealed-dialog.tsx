import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { queryOf, useCall } from "../../api/query.ts";
import { Checkbox } from "../../parts/checkbox.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { useSentence } from "./sentences.ts";
import { words } from "./words.ts";

type Props = {
  /** To keep none from now on, or to remove those that were left. */
  what: "off" | "remove";
  kept: number;
  onDone: () => void;
  onClose: () => void;
};

/** Asked before copies go: nobody brings them back. */
export function SealedDialog({ what, kept, onDone, onClose }: Props) {
  const say = useWords(words);
  const tell = useSentence();
  const queries = useQueryClient();
  const [isRemoving, setRemoving] = useState(true);
  const isOff = what === "off";
  const save = useCall("PATCH /operator/settings", {
    refresh: ["GET /house", "GET /operator/settings/sealed-copies", "GET /operator/audit"],
    onDone: answer => {
      queries.setQueryData(queryOf("GET /operator/settings").queryKey, answer);
      toast(say(isOff ? "saved" : "removed"));
      onDone();
    },
  });
  const send = () =>
    save.mutate({
      body: {
        settings: isOff ? { sealed_copies: "off" } : {},
        ...(kept > 0 && isRemoving ? { remove_sealed_copies: true } : {}),
      },
    });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={send}
      title={say(isOff ? "offTitle" : "removeTitle")}
      action={say(isOff ? "off" : "removeCopies")}
      busy={save.isPending}
      {...(save.error === null ? {} : { error: tell(save.error) })}
    >
      {isOff ? <p>{say("offText")}</p> : null}
      {kept === 0 ? null : <p>{say("offCopies", { count: kept })}</p>}
      {isOff && kept > 0 ? (
        <Checkbox checked={isRemoving} onChange={setRemoving} label={say("offRemove")} />
      ) : null}
    </ConfirmDialog>
  );
}
