import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useCall } from "../../api/query.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_READS, type Detail } from "./account-reads.ts";
import { changeWords } from "./change-words.ts";
import { AMOUNTS, COUNTS, draftOf, limitsChange } from "./limits-change.ts";
import { useSentence } from "./sentences.ts";

export function LimitsDialog({ detail, onClose }: { detail: Detail; onClose: () => void }) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const [draft, setDraft] = useState(() => draftOf(detail.limits));
  const { id, email } = detail.account;
  const save = useCall("PATCH /operator/accounts/{id}", {
    refresh: ACCOUNT_READS,
    onDone: () => {
      toast(say("limitsDone", { email }));
      onClose();
    },
  });
  const change = limitsChange(detail.limits, draft);
  const isSame = change !== null && Object.keys(change).length === 0;
  const field = (name: string) => {
    const error = save.error instanceof ApiError ? save.error.field(name) : undefined;
    return error === undefined ? {} : { error };
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={() => change !== null && save.mutate({ params: { id }, body: change })}
      title={say("limitsTitle")}
      description={email}
      action={say("save")}
      disabled={isSame || change === null}
      busy={save.isPending}
      {...(save.error === null ? {} : { error: tell(save.error) })}
    >
      <p className="text-ink-2">{say("limitsText")}</p>
      <div className="grid gap-3 sm:grid-cols-3">
        {COUNTS.map(({ name }) => (
          <Field key={name} label={say(name)} {...field(name)}>
            <NumberInput
              value={draft[name]}
              onChange={text => setDraft({ ...draft, [name]: text })}
              placeholder={say("off")}
            />
          </Field>
        ))}
        {AMOUNTS.map(name => (
          <Field key={name} label={say(name)} {...field(name)}>
            <NumberInput
              kind="decimal"
              prefix="$"
              value={draft[name]}
              onChange={text => setDraft({ ...draft, [name]: text })}
              placeholder={say("off")}
            />
          </Field>
        ))}
      </div>
      {change === null ? <p className="text-bad text-sm">{say("limitsWrong")}</p> : null}
    </FormDialog>
  );
}
