import { useCall } from "../../api/query.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_READS, type AccountKey, type Person } from "./account-reads.ts";
import { changeWords } from "./change-words.ts";
import { useSentence } from "./sentences.ts";

type Props = {
  person: Person;
  accountKey: AccountKey;
  change: "disable" | "enable" | "delete";
  onClose: () => void;
};

const LOOKS = {
  disable: { title: "keyDisableTitle", text: "keyDisableText", action: "disable", done: "keyDisabled" },
  enable: { title: "keyEnableTitle", text: "keyEnableText", action: "enable", done: "keyEnabled" },
  delete: { title: "keyDeleteTitle", text: "keyDeleteText", action: "keyDelete", done: "keyDeleted" },
} as const;

export function KeyDialog({ person, accountKey: { id, name }, change, onClose }: Props) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const look = LOOKS[change];
  const send = useCall("POST /operator/accounts/{id}/keys/{key}/{change}", {
    refresh: ACCOUNT_READS,
    onDone: () => {
      toast(say(look.done, { name }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      {...(change === "enable" ? { harmless: true } : {})}
      {...(change === "delete" ? { typeName: name } : {})}
      onClose={onClose}
      onConfirm={() => send.mutate({ params: { id: person.id, key: id, change } })}
      title={say(look.title, { name })}
      action={say(look.action)}
      busy={send.isPending}
      {...(send.error === null ? {} : { error: tell(send.error) })}
    >
      <p>{say(look.text, { email: person.email })}</p>
    </ConfirmDialog>
  );
}
