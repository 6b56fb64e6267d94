import { useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useErrorText } from "../../api/error-text.ts";
import { useApi, useCall } from "../../api/query.ts";
import { now } from "../../format/clock.ts";
import { Banner } from "../../parts/banner.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { type Draft, draftOf, type Key } from "./draft.ts";
import { changeOf } from "./draft-body.ts";
import { type Problems, problemsOf } from "./draft-problems.ts";
import { editEffects } from "./edit-effects.ts";
import { focusFirstProblem } from "./focus-problem.ts";
import { formWords } from "./form-words.ts";
import { KeyFields } from "./key-fields.tsx";
import { serverProblems } from "./server-problems.ts";

type Props = { keyView: Key; onClose: () => void };

/** Whoever opens an expired key wants it to go on. */
function startOf(key: Key): Draft {
  return key.state === "expired" ? { ...draftOf(key), expiry: "30d" } : draftOf(key);
}

export function EditDialog({ keyView, onClose }: Props) {
  const say = useWords(formWords);
  const tell = useErrorText();
  const groups = useApi("GET /groups");
  /** The key as it was when the form was opened: the list goes on being refreshed behind it. */
  const { current: key } = useRef(keyView);
  const [draft, setDraft] = useState<Draft>(() => startOf(key));
  const [problems, setProblems] = useState<Problems>({});
  const save = useCall("PATCH /keys/{id}", {
    refresh: ["GET /keys", "GET /usage", "GET /usage/names"],
    onDone: changed => {
      toast(say("saved", { name: changed.name }));
      onClose();
    },
  });
  const submit = () => {
    const change = changeOf(draft, key, now());
    const found = problemsOf(draft, { say, nowMs: now() });
    if (change.expires_at === undefined && draft.expiryDate !== "") delete found.expiryDate;
    setProblems(found);
    if (Object.keys(found).length > 0) {
      focusFirstProblem();
      return;
    }
    if (Object.keys(change).length === 0) {
      onClose();
      return;
    }
    save.mutate(
      { params: { id: key.id }, body: change },
      { onError: error => setProblems(serverProblems(error, say)) },
    );
  };
  const list = groups.data?.groups;
  const effects = editEffects(key, { draft, groups: list ?? [], say, nowMs: now() });
  const isTold = save.error instanceof ApiError && save.error.fields.length > 0;
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={submit}
      title={say("editTitle")}
      description={<code>{key.preview}</code>}
      action={say("saveAction")}
      busy={save.isPending}
      error={save.error === null || isTold ? undefined : tell(save.error)}
    >
      <KeyFields
        draft={draft}
        onChange={part => {
          setDraft(before => ({ ...before, ...part }));
          setProblems({});
        }}
        problems={problems}
        groups={list}
      />
      {effects.length === 0 ? null : (
        <Banner tone="quiet" title={say("changes")}>
          <ul className="mt-0.5 grid list-disc gap-0.5 pl-4" aria-live="polite">
            {effects.map(effect => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
        </Banner>
      )}
    </FormDialog>
  );
}
