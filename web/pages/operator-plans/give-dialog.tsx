import { useState } from "react";
import { useApi, useCall } from "../../api/query.ts";
import { now } from "../../format/clock.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { dayOf, endOfDay } from "../operator-accounts/day.ts";
import { AccountPicker } from "../operator-groups/account-picker.tsx";
import { useSentence } from "../operator-models/sentences.ts";
import { type Holder, PLAN_READS, type Plan } from "./plan-reads.ts";
import { words } from "./words.ts";

type Props = { plan: Plan; holder: Holder | null; onClose: () => void };

function useGive({ plan, holder, onClose }: Props) {
  const say = useWords(words);
  const one = useCall("POST /operator/accounts/{id}/subscriptions", {
    refresh: PLAN_READS,
    onDone: () => {
      toast(
        holder === null ? say("given", { plan: plan.name, count: 1 }) : say("moved", { plan: plan.name }),
      );
      onClose();
    },
  });
  const many = useCall("POST /operator/accounts/many", {
    refresh: PLAN_READS,
    onDone: ({ changed }) => {
      toast(say("given", { plan: plan.name, count: changed }));
      onClose();
    },
  });
  return {
    isPending: one.isPending || many.isPending,
    error: one.error ?? many.error,
    give: (ids: readonly string[], until: string | null) => {
      const [first, second] = ids;
      if (first !== undefined && second === undefined) {
        one.mutate({ params: { id: first }, body: { plan: plan.id, until } });
      } else {
        many.mutate({ body: { ids: [...ids], change: { what: "subscribe", plan: plan.id, until } } });
      }
    },
  };
}

/** Gives a plan to accounts, or moves its end for one that has it. */
export function GiveDialog(props: Props) {
  const { plan, holder, onClose } = props;
  const say = useWords(words);
  const tell = useSentence();
  const accounts = useApi("GET /operator/accounts");
  const [emails, setEmails] = useState<readonly string[]>(holder === null ? [] : [holder.email]);
  const [end, setEnd] = useState(holder?.until == null ? "" : dayOf(holder.until));
  const [isAsked, setAsked] = useState(false);
  const { give, isPending, error } = useGive(props);
  const until = end === "" ? null : endOfDay(end);
  const isPast = until !== null && Date.parse(until) <= now();
  const known = new Map((accounts.data?.accounts ?? []).map(({ email, id }) => [email, id]));
  const ids = holder === null ? emails.flatMap(email => known.get(email) ?? []) : [holder.account];
  const submit = () => {
    setAsked(true);
    if (ids.length > 0 && !isPast) give(ids, until);
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={submit}
      title={say(holder === null ? "giveTitle" : "moveTitle", { plan: plan.name })}
      description={holder === null ? say("giveText") : holder.email}
      action={say(holder === null ? "giveAction" : "save")}
      busy={isPending}
      {...(error === null ? {} : { error: tell(error) })}
    >
      {holder === null ? (
        <Field
          label={say("accountsField")}
          {...(isAsked && ids.length === 0 ? { error: say("accountsMissing") } : {})}
        >
          <AccountPicker value={emails} onChange={setEmails} />
        </Field>
      ) : null}
      <Field
        label={say("untilField")}
        optional
        hint={say("untilHint")}
        {...(isPast ? { error: say("dayPast") } : {})}
      >
        <TextInput type="date" value={end} onChange={setEnd} min={dayOf(new Date(now()).toISOString())} />
      </Field>
    </FormDialog>
  );
}
