import { useState } from "react";
import { useApi, useCall } from "../../api/query.ts";
import { now } from "../../format/clock.ts";
import { formatMoneyShort } from "../../format/money.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { Select } from "../../parts/select.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_READS, type Person, type Subscription } from "./account-reads.ts";
import { changeWords } from "./change-words.ts";
import { dayOf, endOfDay } from "./day.ts";
import { useSentence } from "./sentences.ts";

type Props = { people: readonly Person[]; moved: Subscription | null; onClose: () => void };

function useSubscribe({ people, onClose }: Pick<Props, "people" | "onClose">) {
  const say = useWords(changeWords);
  const done = () => {
    toast(say("planGiven", { count: people.length }));
    onClose();
  };
  const one = useCall("POST /operator/accounts/{id}/subscriptions", {
    refresh: ACCOUNT_READS,
    onDone: done,
  });
  const many = useCall("POST /operator/accounts/many", { refresh: ACCOUNT_READS, onDone: done });
  const [first, second] = people;
  return {
    isPending: one.isPending || many.isPending,
    error: one.error ?? many.error,
    give: (plan: string, until: string | null) => {
      if (first !== undefined && second === undefined) {
        one.mutate({ params: { id: first.id }, body: { plan, until } });
      } else {
        const change = { what: "subscribe", plan, until } as const;
        many.mutate({ body: { ids: people.map(({ id }) => id), change } });
      }
    },
  };
}

/** Gives a plan, or moves the end of one that is there. */
export function SubscribeDialog({ people, moved, onClose }: Props) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const plans = useApi("GET /operator/plans");
  const { give, isPending, error } = useSubscribe({ people, onClose });
  const [chosen, setChosen] = useState<string | null>(null);
  const [end, setEnd] = useState(moved?.until == null ? "" : dayOf(moved.until));
  const list = plans.data?.plans ?? [];
  const plan =
    list.find(({ id, name }) => (chosen === null ? name === moved?.plan : id === chosen)) ?? list[0];
  const until = end === "" ? null : endOfDay(end);
  const isPast = until !== null && Date.parse(until) <= now();
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={() => plan !== undefined && !isPast && give(plan.id, until)}
      title={say(moved === null ? "planTitle" : "planMoveTitle")}
      description={people.length === 1 ? people[0]?.email : say("planMany", { count: people.length })}
      action={say(moved === null ? "planGive" : "save")}
      disabled={plan === undefined}
      busy={isPending}
      {...(error === null ? {} : { error: tell(error) })}
    >
      {plans.data === undefined && plans.error !== null ? (
        <ErrorState error={plans.error} onRetry={() => void plans.refetch()} />
      ) : plans.data === undefined ? (
        <Skeleton className="h-16 w-full" />
      ) : plan === undefined ? (
        <p className="text-ink-2">{say("planNone")}</p>
      ) : (
        <>
          <Field label={say("plan")} hint={say("planFor", { groups: plan.groups.join(", ") })}>
            <Select
              value={plan.id}
              onChange={setChosen}
              disabled={moved !== null}
              options={list.map(({ id, name, quota_usd, window }) => ({
                value: id,
                label: name,
                detail: `${formatMoneyShort(quota_usd, say.language, 2)} ${say(window)}`,
              }))}
            />
          </Field>
          <Field
            label={say("planUntil")}
            optional
            hint={say("planUntilHint")}
            {...(isPast ? { error: say("dayPast") } : {})}
          >
            <TextInput type="date" value={end} onChange={setEnd} min={dayOf(new Date(now()).toISOString())} />
          </Field>
        </>
      )}
    </FormDialog>
  );
}

export function UnsubscribeDialog({
  person,
  subscription,
  onClose,
}: {
  person: Person;
  subscription: Subscription;
  onClose: () => void;
}) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const end = useCall("DELETE /operator/accounts/{id}/subscriptions/{subscription}", {
    refresh: ACCOUNT_READS,
    onDone: () => {
      toast(say("planEnded", { plan: subscription.plan }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => end.mutate({ params: { id: person.id, subscription: subscription.id } })}
      title={say("planEndTitle", { plan: subscription.plan })}
      action={say("planEnd")}
      busy={end.isPending}
      {...(end.error === null ? {} : { error: tell(end.error) })}
    >
      <p>{say("planEndText", { email: person.email, groups: subscription.groups.join(", ") })}</p>
    </ConfirmDialog>
  );
}
