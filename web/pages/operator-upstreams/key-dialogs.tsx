import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { PasswordInput } from "../../parts/password-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { changeWords } from "./change-words.ts";
import { useFieldError, useSentence } from "./sentences.ts";
import { type Credential, UPSTREAM_READS, type Upstream } from "./upstream-reads.ts";

type Props = { one: Upstream; onClose: () => void };

export function AddKeyDialog({ one, onClose }: Props) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const [key, setKey] = useState("");
  const [isAsked, setAsked] = useState(false);
  const add = useCall("POST /operator/upstreams/{id}/credentials", {
    refresh: UPSTREAM_READS,
    onDone: ({ name }) => {
      toast(say("keyAdded", { name }));
      onClose();
    },
  });
  const fieldError = useFieldError(add.error);
  const isMissing = key.trim() === "";
  const error = fieldError("api_key") ?? (isAsked && isMissing ? say("keyMissing") : undefined);
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={() => {
        setAsked(true);
        if (!isMissing) add.mutate({ params: { id: one.id }, body: { api_key: key.trim() } });
      }}
      title={say("addKeyTitle")}
      description={say("addKeyText")}
      action={say("addKeyAction")}
      busy={add.isPending}
      {...(add.error === null || fieldError("api_key") !== undefined ? {} : { error: tell(add.error) })}
    >
      <Field label={say("key")} {...(error === undefined ? {} : { error })}>
        <PasswordInput
          mono
          value={key}
          onChange={setKey}
          autoComplete="off"
          words={{ show: say("showKey"), hide: say("hideKey") }}
        />
      </Field>
    </FormDialog>
  );
}

export function RemoveKeyDialog({ one, credential, onClose }: Props & { credential: Credential }) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const { id: key, label } = credential;
  const remove = useCall("DELETE /operator/upstreams/{id}/credentials/{credential}", {
    refresh: UPSTREAM_READS,
    onDone: () => {
      toast(say("keyRemoved", { label }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { id: one.id, credential: key } })}
      title={say("removeKeyTitle", { label })}
      action={say("removeKeyAction")}
      busy={remove.isPending}
      {...(remove.error === null ? {} : { error: tell(remove.error) })}
    >
      <p>{one.credentials.length === 1 ? say("removeKeyLast", { name: one.name }) : say("removeKeyText")}</p>
    </ConfirmDialog>
  );
}
