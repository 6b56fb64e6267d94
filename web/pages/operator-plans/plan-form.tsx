import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useApi, useCall } from "../../api/query.ts";
import { compareMoney } from "../../format/money.ts";
import { Banner } from "../../parts/banner.tsx";
import { Checkbox } from "../../parts/checkbox.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { Select } from "../../parts/select.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { amountOf } from "../operator-accounts/amount.ts";
import { plainAmount } from "../operator-groups/plain-amount.ts";
import { useSentence } from "../operator-models/sentences.ts";
import { PLAN_READS, type Plan } from "./plan-reads.ts";
import { words } from "./words.ts";

const WINDOWS = ["day", "week", "month", "total"] as const;
const NAME_MAX = 100;

type Draft = { name: string; quota: string; window: Plan["window"]; groups: readonly string[] };

const NEW_PLAN: Draft = { name: "", quota: "", window: "month", groups: [] };

function draftOf({ name, quota_usd, window, groups }: Plan): Draft {
  return { name, quota: plainAmount(quota_usd), window, groups };
}

function isSame(plan: Plan, draft: Draft, quota: string | null): boolean {
  return (
    plan.name === draft.name.trim() &&
    plan.window === draft.window &&
    quota !== null &&
    compareMoney(quota, plan.quota_usd) === 0 &&
    [...plan.groups].sort().join("\n") === [...draft.groups].sort().join("\n")
  );
}

function useSave(plan: Plan | null, onClose: () => void) {
  const say = useWords(words);
  const create = useCall("POST /operator/plans", {
    refresh: PLAN_READS,
    onDone: ({ name }) => {
      toast(say("created", { name }));
      onClose();
    },
  });
  const edit = useCall("PATCH /operator/plans/{id}", {
    refresh: PLAN_READS,
    onDone: ({ name }) => {
      toast(say("saved", { name }));
      onClose();
    },
  });
  return {
    isPending: create.isPending || edit.isPending,
    error: create.error ?? edit.error,
    save: ({ name, window, groups }: Draft, quota: string) => {
      const body = { name: name.trim(), quota_usd: quota, window, groups: [...groups] };
      if (plan === null) create.mutate({ body });
      else edit.mutate({ params: { id: plan.id }, body });
    },
  };
}

export function PlanForm({ plan, onClose }: { plan: Plan | null; onClose: () => void }) {
  const say = useWords(words);
  const tell = useSentence();
  const [draft, setDraft] = useState<Draft>(() => (plan === null ? NEW_PLAN : draftOf(plan)));
  const [isAsked, setAsked] = useState(false);
  const { save, isPending, error } = useSave(plan, onClose);
  const change = (part: Partial<Draft>) => setDraft(before => ({ ...before, ...part }));
  const quota = amountOf(draft.quota);
  const name = draft.name.trim();
  const isAtName = error instanceof ApiError && error.field("name") !== undefined;
  const problems = {
    name: name === "" ? say("nameMissing") : name.length > NAME_MAX ? say("nameWrong") : null,
    quota: quota === null ? say("quotaWrong") : null,
    groups: draft.groups.length === 0 ? say("groupsMissing") : null,
  };
  const shown = (field: keyof typeof problems): { error?: string } => {
    const problem = isAsked ? problems[field] : null;
    if (problem !== null) return { error: problem };
    return field === "name" && isAtName ? { error: tell(error) } : {};
  };
  const submit = () => {
    setAsked(true);
    if (quota !== null && problems.name === null && problems.groups === null) save(draft, quota);
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={submit}
      title={plan === null ? say("createTitle") : say("editTitle", { name: plan.name })}
      description={say(plan === null ? "createText" : "editText")}
      action={say(plan === null ? "create" : "save")}
      disabled={plan !== null && isSame(plan, draft, quota)}
      busy={isPending}
      {...(error === null || isAtName ? {} : { error: tell(error) })}
    >
      <Field label={say("nameField")} {...shown("name")}>
        <TextInput value={draft.name} onChange={next => change({ name: next })} autoComplete="off" />
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={say("quota")} hint={say("quotaHint")} {...shown("quota")}>
          <NumberInput
            kind="decimal"
            prefix="$"
            suffix="USD"
            value={draft.quota}
            onChange={next => change({ quota: next })}
          />
        </Field>
        <Field label={say("window")}>
          <Select
            value={draft.window}
            onChange={window => change({ window })}
            options={WINDOWS.map(value => ({ value, label: say(value) }))}
          />
        </Field>
      </div>
      <Field group label={say("groupsField")} hint={say("groupsHint")} {...shown("groups")}>
        <GroupChoice value={draft.groups} onChange={groups => change({ groups })} />
      </Field>
    </FormDialog>
  );
}

type ChoiceProps = { value: readonly string[]; onChange: (groups: readonly string[]) => void };

function GroupChoice({ value, onChange }: ChoiceProps) {
  const say = useWords(words);
  const groups = useApi("GET /operator/groups");
  if (groups.data === undefined) {
    return groups.error === null ? (
      <Skeleton className="h-16 w-full" />
    ) : (
      <ErrorState error={groups.error} onRetry={() => void groups.refetch()} />
    );
  }
  if (groups.data.groups.length === 0) {
    return (
      <Banner
        tone="warn"
        action={
          <LinkButton size="sm" to="/operator/groups" search={{ show: "create" }}>
            {say("toGroups")}
          </LinkButton>
        }
      >
        {say("groupsNone")}
      </Banner>
    );
  }
  return (
    <div className="grid max-h-56 gap-2.5 overflow-y-auto rounded-lg border border-line-strong px-3 py-2.5">
      {groups.data.groups.map(({ id, name, billing }) => (
        <Checkbox
          key={id}
          checked={value.includes(name)}
          onChange={isChosen => onChange(isChosen ? [...value, name] : value.filter(one => one !== name))}
          label={<span dir="auto">{name}</span>}
          {...(billing === "balance" ? { hint: say("paysBalance") } : {})}
        />
      ))}
    </div>
  );
}
