import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useCall } from "../../api/query.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { useSentence } from "../operator-models/sentences.ts";
import { WhatIf } from "../operator-models/what-if.tsx";
import { formWords } from "./form-words.ts";
import {
  bodyOf,
  changesOf,
  draftOf,
  type GroupDraft,
  type GroupProblem,
  multiplierOf,
  NEW_GROUP,
  problemsOf,
} from "./group-draft.ts";
import { AccessFields, GroupFields, LimitFields } from "./group-fields.tsx";
import { GROUP_READS, type Group } from "./group-reads.ts";
import { ModelsField } from "./models-field.tsx";

type Props = {
  /** Null: a new one. */
  group: Group | null | "missing";
  /** It is the first: there is nothing it could be mistaken for, so it has a name already. */
  isFirst: boolean;
  onClose: () => void;
};

export function GroupDialog({ group, isFirst, onClose }: Props) {
  const say = useWords(formWords);
  if (group === "missing") {
    return (
      <Dialog open size="sm" onClose={onClose} title={say("missingTitle")}>
        <p className="text-ink-2">{say("missingText")}</p>
      </Dialog>
    );
  }
  const first = isFirst ? { ...NEW_GROUP, name: say("namePlaceholder") } : NEW_GROUP;
  return <GroupForm group={group} start={group === null ? first : draftOf(group)} onClose={onClose} />;
}

function useSave(group: Group | null, onClose: () => void) {
  const say = useWords(formWords);
  const refresh = GROUP_READS;
  const create = useCall("POST /operator/groups", {
    refresh,
    onDone: ({ name }) => {
      toast(say("created", { name }));
      onClose();
    },
  });
  const edit = useCall("PATCH /operator/groups/{id}", {
    refresh,
    onDone: ({ name }) => {
      toast(say("saved", { name }));
      onClose();
    },
  });
  return {
    isPending: create.isPending || edit.isPending,
    error: create.error ?? edit.error,
    save: (draft: GroupDraft) => {
      if (group === null) create.mutate({ body: bodyOf(draft) });
      else edit.mutate({ params: { id: group.id }, body: changesOf(group, draft) });
    },
  };
}

type FormProps = { group: Group | null; start: GroupDraft; onClose: () => void };

/** Everything about a group in one form; what is left as it stands is a group that works. */
function GroupForm({ group, start, onClose }: FormProps) {
  const say = useWords(formWords);
  const tell = useSentence();
  const [draft, setDraft] = useState(start);
  const [isAsked, setAsked] = useState(false);
  const { save, isPending, error } = useSave(group, onClose);
  const problems = problemsOf(draft);
  const change = (part: Partial<GroupDraft>) => setDraft(before => ({ ...before, ...part }));
  const isAtName = error instanceof ApiError && error.field("name") !== undefined;
  const problem = (name: Parameters<typeof problems.get>[0]): string | null => {
    const found: GroupProblem | undefined = isAsked ? problems.get(name) : undefined;
    if (found !== undefined) return say(found);
    return name === "name" && isAtName ? tell(error) : null;
  };
  const isSame = group !== null && problems.size === 0 && Object.keys(changesOf(group, draft)).length === 0;
  const multiplier = multiplierOf(draft.multiplier);
  const submit = () => {
    setAsked(true);
    if (problems.size === 0) save(draft);
  };
  return (
    <FormDialog
      open
      size="lg"
      onClose={onClose}
      onSubmit={submit}
      title={group === null ? say("createTitle") : say("editTitle", { name: group.name })}
      description={say(group === null ? "createText" : "editText")}
      action={say(group === null ? "create" : "save")}
      disabled={isSame}
      busy={isPending}
      {...(error === null || isAtName ? {} : { error: tell(error) })}
    >
      <GroupFields draft={draft} onChange={change} problem={problem} />
      {group === null ? null : (
        <WhatIf
          supposed={
            multiplier === null || multiplier === group.multiplier
              ? null
              : { group: { id: group.id, multiplier } }
          }
        />
      )}
      <ModelsField value={draft.models} onChange={models => change({ models })} error={problem("models")} />
      <AccessFields draft={draft} onChange={change} problem={problem} />
      <LimitFields draft={draft} onChange={change} problem={problem} />
    </FormDialog>
  );
}
