import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { now } from "../../format/clock.ts";
import { addMoney, formatMoney } from "../../format/money.ts";
import { Banner } from "../../parts/banner.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { amountOf } from "../operator-accounts/amount.ts";
import { dayOf, endOfDay } from "../operator-accounts/day.ts";
import { useSentence } from "../operator-accounts/sentences.ts";
import type { MadeCodes } from "./codes-csv.ts";
import { words } from "./words.ts";

type Props = { onMade: (made: MadeCodes) => void; onClose: () => void };

const COUNT_MAX = 1000;
const NOTE_MAX = 200;

export function MakeDialog({ onMade, onClose }: Props) {
  const say = useWords(words);
  const tell = useSentence();
  const [draft, setDraft] = useState({ count: "1", amount: "", note: "", end: "" });
  const [isAsked, setAsked] = useState(false);
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const make = useCall("POST /operator/codes", {
    refresh: ["GET /operator/codes"],
    onDone: ({ codes }, { body }) =>
      onMade({
        codes,
        amountUsd: body.amount_usd,
        note: body.note,
        expiresAt: body.expires_at ?? null,
      }),
  });
  const count = Number(draft.count);
  const amount = amountOf(draft.amount);
  const expiresAt = draft.end === "" ? null : endOfDay(draft.end);
  const problems = {
    count: count < 1 || count > COUNT_MAX ? say("countWrong", { most: COUNT_MAX }) : null,
    amount: amount === null ? say("amountWrong") : null,
    end: expiresAt !== null && Date.parse(expiresAt) <= now() ? say("dayPast") : null,
  };
  const error = (name: keyof typeof problems) =>
    isAsked && problems[name] !== null ? { error: problems[name] } : {};
  const submit = () => {
    setAsked(true);
    if (amount === null || problems.count !== null || problems.end !== null) return;
    make.mutate({ body: { count, amount_usd: amount, note: draft.note.trim(), expires_at: expiresAt } });
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={submit}
      title={say("makeTitle")}
      description={say("makeText")}
      action={say("make")}
      busy={make.isPending}
      {...(make.error === null ? {} : { error: tell(make.error) })}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={say("amountEach")} {...error("amount")}>
          <NumberInput
            value={draft.amount}
            onChange={text => change({ amount: text })}
            kind="decimal"
            prefix="$"
            suffix="USD"
            placeholder="0"
          />
        </Field>
        <Field label={say("howMany")} {...error("count")}>
          <NumberInput value={draft.count} onChange={text => change({ count: text })} />
        </Field>
      </div>
      <Field label={say("note")} optional hint={say("noteHint")}>
        <TextInput value={draft.note} onChange={note => change({ note })} maxLength={NOTE_MAX} />
      </Field>
      <Field label={say("expires")} optional hint={say("expiresHint")} {...error("end")}>
        <TextInput
          type="date"
          value={draft.end}
          onChange={end => change({ end })}
          min={dayOf(new Date(now()).toISOString())}
        />
      </Field>
      {amount === null || problems.count !== null || count < 2 ? null : (
        <Banner tone="quiet">
          {say("totalOf", {
            count,
            total: formatMoney(addMoney(Array.from({ length: count }, () => amount)), say.language, 2),
          })}
        </Banner>
      )}
    </FormDialog>
  );
}
