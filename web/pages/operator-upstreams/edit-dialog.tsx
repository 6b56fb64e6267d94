import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { PasswordInput } from "../../parts/password-input.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { changeWords } from "./change-words.ts";
import { changeOf, draftOf, isElsewhere, problemOf } from "./edit-change.ts";
import { NumberFields, SpeaksField } from "./edit-fields.tsx";
import { useFieldError, useSentence } from "./sentences.ts";
import { UPSTREAM_READS, type Upstream } from "./upstream-reads.ts";

export function EditDialog({ one, onClose }: { one: Upstream; onClose: () => void }) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const [draft, setDraft] = useState(() => draftOf(one));
  const [isAsked, setAsked] = useState(false);
  const save = useCall("PATCH /operator/upstreams/{id}", {
    refresh: UPSTREAM_READS,
    onDone: ({ name }) => {
      toast(say("saved", { name }));
      onClose();
    },
  });
  const fieldError = useFieldError(save.error);
  const hasAddress = one.base_url !== null;
  const problem = problemOf(draft, hasAddress);
  const change = changeOf(one, draft);
  const needsKey = hasAddress && one.credentials.length > 0 && isElsewhere(one, draft.address);
  const submit = () => {
    setAsked(true);
    if (problem === null) save.mutate({ params: { id: one.id }, body: change });
  };
  const error = (path: string, own: typeof problem) => {
    const text = fieldError(path) ?? (isAsked && own !== null && problem === own ? say(own) : undefined);
    return text === undefined ? {} : { error: text };
  };
  const isAtField = ["name", "base_url", "api_key", "speaks"].some(path => fieldError(path) !== undefined);
  const atEnd = problem === "numbersWrong" || problem === "costWrong" ? say(problem) : null;
  return (
    <FormDialog
      open
      size="lg"
      onClose={onClose}
      onSubmit={submit}
      title={say("editTitle")}
      description={<bdi>{one.name}</bdi>}
      action={say("save")}
      disabled={Object.keys(change).length === 0}
      busy={save.isPending}
      {...(save.error !== null && !isAtField
        ? { error: tell(save.error) }
        : isAsked && atEnd !== null
          ? { error: atEnd }
          : {})}
    >
      <Field label={say("name")} {...error("name", "nameMissing")}>
        <TextInput value={draft.name} onChange={name => setDraft({ ...draft, name })} autoComplete="off" />
      </Field>
      {hasAddress ? (
        <Field label={say("address")} hint={say("addressHint")} {...error("base_url", "addressMissing")}>
          <TextInput
            mono
            inputMode="url"
            value={draft.address}
            onChange={address => setDraft({ ...draft, address })}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
      ) : null}
      {needsKey || draft.key !== "" ? (
        <Field label={say("keyAgain")} hint={say("keyAgainHint")} {...error("api_key", null)}>
          <PasswordInput
            mono
            value={draft.key}
            onChange={key => setDraft({ ...draft, key })}
            autoComplete="off"
            words={{ show: say("showKey"), hide: say("hideKey") }}
          />
        </Field>
      ) : null}
      <SpeaksField draft={draft} onChange={setDraft} error={error("speaks", "speaksMissing")} />
      <NumberFields draft={draft} onChange={setDraft} />
    </FormDialog>
  );
}
