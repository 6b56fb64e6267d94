import { useCall } from "../../api/query.ts";
import { useAccountName } from "../../api/session.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_READS, type Person } from "./account-reads.ts";
import { changeWords } from "./change-words.ts";
import { useSentence } from "./sentences.ts";

type Props = { people: readonly Person[]; enabled: boolean; onClose: () => void };

const NAMED_MAX = 5;

/** Says what stops before it does. */
export function StateDialog({ people, enabled, onClose }: Props) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const own = useAccountName();
  const done = () => {
    toast(say(enabled ? "enabledDone" : "disabledDone", { count: people.length }));
    onClose();
  };
  const one = useCall("PATCH /operator/accounts/{id}", { refresh: ACCOUNT_READS, onDone: done });
  const many = useCall("POST /operator/accounts/many", { refresh: ACCOUNT_READS, onDone: done });
  const [first, second] = people;
  const confirm = () => {
    if (first !== undefined && second === undefined) {
      one.mutate({ params: { id: first.id }, body: { enabled } });
    } else {
      many.mutate({
        body: { ids: people.map(({ id }) => id), change: { what: enabled ? "enable" : "disable" } },
      });
    }
  };
  const error = one.error ?? many.error;
  const named = people.slice(0, NAMED_MAX);
  const operators = people.filter(({ role }) => role === "operator").length;
  return (
    <ConfirmDialog
      open
      {...(enabled ? { harmless: true } : {})}
      onClose={onClose}
      onConfirm={confirm}
      title={
        second === undefined
          ? say(enabled ? "enableTitle" : "disableTitle", { email: first?.email ?? "" })
          : say(enabled ? "enableManyTitle" : "disableManyTitle", { count: people.length })
      }
      action={say(enabled ? "enable" : "disable")}
      busy={one.isPending || many.isPending}
      {...(error === null ? {} : { error: tell(error) })}
    >
      <p>{say(enabled ? "enableText" : "disableText")}</p>
      {second === undefined ? null : (
        <p className="break-all text-sm">
          {named.map(({ email }) => email).join(", ")}
          {people.length > NAMED_MAX ? ` ${say("andMore", { count: people.length - NAMED_MAX })}` : ""}
        </p>
      )}
      {!enabled && operators > 0 ? (
        <p className="text-warn">
          {second === undefined ? say("operatorToo") : say("operatorsToo", { count: operators })}
        </p>
      ) : null}
      {!enabled && people.some(({ email }) => email === own) ? (
        <p className="text-bad">{say(second === undefined ? "ownAlone" : "ownToo")}</p>
      ) : null}
    </ConfirmDialog>
  );
}
