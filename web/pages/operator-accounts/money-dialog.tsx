import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { addMoney, formatMoney } from "../../format/money.ts";
import { Banner } from "../../parts/banner.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_READS, type Person } from "./account-reads.ts";
import { amountOf } from "./amount.ts";
import { changeWords } from "./change-words.ts";
import { newOnce } from "./once.ts";
import { useSentence } from "./sentences.ts";

type Props = { people: readonly Person[]; onClose: () => void };

const REASON_MAX = 500;
/** Both ways are sent under one name, so that a second try after a lost connection moves nothing twice. */
function useMove({ people, onClose }: Props) {
  const say = useWords(changeWords);
  const [once] = useState(newOnce);
  const done = (amount: string) => {
    toast(say(amount.startsWith("-") ? "debited" : "credited", { count: people.length }));
    onClose();
  };
  const one = useCall("POST /operator/accounts/{id}/balance", {
    refresh: ACCOUNT_READS,
    onDone: (_, { body }) => done(body.amount_usd),
  });
  const many = useCall("POST /operator/accounts/many", {
    refresh: ACCOUNT_READS,
    onDone: () => done(""),
  });
  const [first, second] = people;
  const isOne = first !== undefined && second === undefined;
  return {
    isOne,
    isPending: one.isPending || many.isPending,
    error: one.error ?? many.error,
    move: (amount: string, reason: string) => {
      if (isOne) one.mutate({ params: { id: first.id }, body: { amount_usd: amount, reason, once } });
      else {
        const change = { what: "credit", amount_usd: amount, reason, once } as const;
        many.mutate({ body: { ids: people.map(({ id }) => id), change } });
      }
    },
  };
}

export function MoneyDialog({ people, onClose }: Props) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const { isOne, move, isPending, error } = useMove({ people, onClose });
  const [way, setWay] = useState<"credit" | "debit">("credit");
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const [isAsked, setAsked] = useState(false);
  const amount = amountOf(typed);
  const signed = amount === null ? null : way === "debit" ? `-${amount}` : amount;
  const submit = () => {
    setAsked(true);
    if (signed !== null && reason.trim() !== "") move(signed, reason.trim());
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={submit}
      title={isOne ? say("moneyTitle") : say("moneyManyTitle", { count: people.length })}
      description={isOne ? people[0]?.email : say("allOrNone")}
      action={say(way)}
      tone={way === "debit" ? "bad-solid" : "primary"}
      busy={isPending}
      {...(error === null ? {} : { error: tell(error) })}
    >
      {isOne ? (
        <Segmented
          label={say("way")}
          value={way}
          onChange={setWay}
          options={[
            { value: "credit", label: say("credit") },
            { value: "debit", label: say("debit") },
          ]}
        />
      ) : null}
      <Field
        label={say(isOne ? "amount" : "amountEach")}
        {...(isAsked && amount === null ? { error: say("amountWrong") } : {})}
      >
        <NumberInput
          value={typed}
          onChange={setTyped}
          kind="decimal"
          prefix="$"
          suffix="USD"
          placeholder="0"
        />
      </Field>
      <Field
        label={say("reason")}
        hint={say("reasonHint")}
        {...(isAsked && reason.trim() === "" ? { error: say("reasonMissing") } : {})}
      >
        <TextInput value={reason} onChange={setReason} maxLength={REASON_MAX} />
      </Field>
      {signed === null ? null : <After people={people} amount={signed} />}
    </FormDialog>
  );
}

/** What it comes to, before it is done. */
function After({ people, amount }: { people: readonly Person[]; amount: string }) {
  const say = useWords(changeWords);
  const { language } = say;
  const [first, second] = people;
  if (first !== undefined && second === undefined) {
    const after = addMoney([first.balance_usd, amount]);
    return (
      <Banner tone={after.startsWith("-") ? "warn" : "quiet"}>
        {say("balanceAfter", {
          before: formatMoney(first.balance_usd, language),
          after: formatMoney(after, language),
        })}
      </Banner>
    );
  }
  const total = addMoney(people.map(() => amount));
  return (
    <Banner tone="quiet">
      {say("totalOf", { count: people.length, total: formatMoney(total, language, 2) })}
    </Banner>
  );
}
