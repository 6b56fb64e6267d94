import { useState } from "react";
import { formatMoney } from "../../format/money.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useTyped } from "../../parts/use-typed.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Account } from "./account.ts";
import { useSentence } from "./server-sentences.ts";
import { useAccountChange } from "./use-account-change.ts";
import { words } from "./words.ts";

const AMOUNT = /^\d{1,9}(\.\d{1,9})?$/;

/** `.5` and `5.` are amounts, too. */
function amountOf(typed: string): string {
  return typed.replace(/^\./, "0.").replace(/\.$/, "");
}

/** At which balance the console warns. */
export function WarningForm({ account }: { account: Account }) {
  const say = useWords(words);
  const tell = useSentence();
  const { value: typed, type, saved } = useTyped(account.low_balance_usd ?? "");
  const [isAsked, setAsked] = useState(false);
  const amount = amountOf(typed);
  const isWrong = amount !== "" && !AMOUNT.test(amount);
  const save = useAccountChange(({ low_balance_usd: low }) =>
    toast(low === null ? say("warnOff") : say("warnSaved", { amount: formatMoney(low, say.language, 2) })),
  );
  const isSame = amount === (account.low_balance_usd ?? "");
  return (
    <form
      noValidate
      className="grid gap-3"
      onSubmit={event => {
        event.preventDefault();
        setAsked(true);
        if (isWrong || save.isPending) return;
        const body = { low_balance_usd: amount === "" ? null : amount };
        save.mutate({ body }, { onSuccess: () => saved(typed) });
      }}
    >
      <Field
        label={say("threshold")}
        hint={say("thresholdHint")}
        {...(isAsked && isWrong ? { error: say("thresholdWrong") } : {})}
      >
        <NumberInput kind="decimal" prefix="$" value={typed} onChange={type} />
      </Field>
      {save.error === null ? null : <Banner tone="bad">{tell(save.error)}</Banner>}
      <div>
        <Button type="submit" busy={save.isPending} disabled={isSame}>
          {say("save")}
        </Button>
      </div>
    </form>
  );
}
