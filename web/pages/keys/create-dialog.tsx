import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useErrorText } from "../../api/error-text.ts";
import { useApi, useCall } from "../../api/query.ts";
import { useAccountName } from "../../api/session.ts";
import { now } from "../../format/clock.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { CustomField } from "./custom-field.tsx";
import { type Draft, emptyDraft, type Group, type Key } from "./draft.ts";
import { newKeyOf } from "./draft-body.ts";
import { keepDraft, keptDraft } from "./draft-kept.ts";
import { type Problems, problemsOf } from "./draft-problems.ts";
import { focusFirstProblem } from "./focus-problem.ts";
import { formWords } from "./form-words.ts";
import { KeyFields } from "./key-fields.tsx";
import { MaybeMade } from "./maybe-made.tsx";
import { isInDoubt, serverProblems } from "./server-problems.ts";

type Props = {
  keys: readonly Key[];
  onClose: () => void;
  onMade: (made: { key: Key; string: string }) => void;
  onRotate: (key: Key) => void;
  onDelete: (key: Key) => void;
};

/** Nobody waits longer than this; what happened is then looked up. */
const ANSWER_MS_MAX = 30_000;

/** Where most of the keys are; for the first key where most of the models are. */
function likelyGroup(groups: readonly Group[], keys: readonly Key[]): string | null {
  const weight = ({ id, models }: Group) => {
    const used = keys.filter(key => key.group.id === id && key.state !== "deleted").length;
    return models.length === 0 ? -1 : used * 1000 + models.length;
  };
  const open = groups.filter(({ enabled }) => enabled);
  return open.toSorted((a, b) => weight(b) - weight(a))[0]?.id ?? null;
}

export function CreateDialog({ keys, onClose, onMade, onRotate, onDelete }: Props) {
  const say = useWords(formWords);
  const tell = useErrorText();
  const account = useAccountName();
  const groups = useApi("GET /groups");
  const [draft, setDraft] = useState<Draft>(() => keptDraft(account) ?? emptyDraft(null));
  const [problems, setProblems] = useState<Problems>({});
  const known = useRef<ReadonlySet<string>>(new Set());
  /** A second click may come before the first is drawn as running. */
  const isSending = useRef(false);
  const create = useCall("POST /keys", {
    refresh: ["GET /keys", "GET /usage/names"],
    onDone: made => {
      keepDraft(account, null);
      onMade(made);
    },
  });
  const list = groups.data?.groups;
  const group = draft.group ?? (list === undefined ? null : likelyGroup(list, keys));
  const whole = { ...draft, group };
  useEffect(() => {
    if (draft.name !== "") keepDraft(account, draft);
  }, [account, draft]);

  const change = (part: Partial<Draft>) => {
    setDraft(before => ({ ...before, ...part }));
    setProblems(before => without(before, Object.keys(part)));
  };
  const submit = () => {
    if (isSending.current) return;
    const found = problemsOf(whole, { say, nowMs: now() });
    setProblems(found);
    if (Object.keys(found).length > 0) {
      focusFirstProblem();
      return;
    }
    isSending.current = true;
    // Those of an attempt before count as new: that one may have made its key.
    if (!isInDoubt(create.error)) known.current = new Set(keys.map(({ id }) => id));
    create.mutate(
      { body: newKeyOf(whole, now()), signal: AbortSignal.timeout(ANSWER_MS_MAX) },
      {
        onError: error => {
          setProblems(serverProblems(error, say));
          focusFirstProblem();
        },
        onSettled: () => {
          isSending.current = false;
        },
      },
    );
  };
  const close = () => {
    keepDraft(account, null);
    onClose();
  };
  const inDoubt = !create.isPending && isInDoubt(create.error);
  const isTold = isToldAtField(create.error) || inDoubt || isAskedAgain(create.error);
  return (
    <FormDialog
      open
      onClose={close}
      onSubmit={submit}
      title={say("createTitle")}
      description={say("createText")}
      action={say("createAction")}
      busy={create.isPending}
      disabled={list === undefined || list.length === 0}
      error={create.error === null || isTold ? undefined : tell(create.error)}
    >
      <KeyFields
        draft={whole}
        onChange={change}
        problems={problems}
        groups={list}
        taken={keys.flatMap(key => (key.state === "deleted" ? [] : key.name))}
      />
      <CustomField draft={draft} onChange={change} error={problems.custom} />
      {groups.error === null || list !== undefined ? null : (
        <p className="text-bad text-sm">{tell(groups.error)}</p>
      )}
      {inDoubt ? (
        <MaybeMade name={draft.name} known={known.current} onRotate={onRotate} onDelete={onDelete} />
      ) : null}
    </FormDialog>
  );
}

function without(problems: Problems, fields: readonly string[]): Problems {
  return Object.fromEntries(Object.entries(problems).filter(([field]) => !fields.includes(field)));
}

function isToldAtField(error: unknown): boolean {
  return error instanceof ApiError && error.fields.length > 0;
}

/** The session ended: the page itself asks to sign in. */
function isAskedAgain(error: unknown): boolean {
  return error instanceof ApiError && error.code === "not_signed_in";
}
