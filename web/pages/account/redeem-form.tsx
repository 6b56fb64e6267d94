import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useCall } from "../../api/query.ts";
import { formatMoney } from "../../format/money.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_PARTS } from "./account.ts";
import { useSentence } from "./server-sentences.ts";
import { words } from "./words.ts";

const CHARACTERS_MAX = 128;
const CHARACTERS_MIN = 4;

export function RedeemForm() {
  const say = useWords(words);
  const tell = useSentence();
  const [code, setCode] = useState("");
  const [isMissing, setMissing] = useState(false);
  const redeem = useCall("POST /account/redeem", {
    refresh: [...ACCOUNT_PARTS, "GET /account/ledger"],
    onDone: (_, { body }) => setCode(now => (now.trim() === body.code ? "" : now)),
  });
  const isAbout = redeem.error instanceof ApiError && /^(invalid|conflict)$/.test(redeem.error.code);
  const fieldError = isMissing ? say("codeMissing") : isAbout ? tell(redeem.error) : undefined;
  return (
    <form
      noValidate
      className="grid gap-3"
      onSubmit={event => {
        event.preventDefault();
        setMissing(code.trim().length < CHARACTERS_MIN);
        if (code.trim().length >= CHARACTERS_MIN && !redeem.isPending)
          redeem.mutate({ body: { code: code.trim() } });
      }}
    >
      <Field label={say("code")} {...(fieldError === undefined ? {} : { error: fieldError })}>
        <TextInput
          mono
          value={code}
          maxLength={CHARACTERS_MAX}
          placeholder="wgc_"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          onChange={next => {
            setCode(next);
            setMissing(false);
            if (redeem.error !== null || redeem.data !== undefined) redeem.reset();
          }}
        />
      </Field>
      {redeem.error === null || isAbout ? null : <Banner tone="bad">{tell(redeem.error)}</Banner>}
      {redeem.data === undefined ? null : (
        <Banner tone="ok">
          <span role="status">
            {say("redeemed", {
              amount: formatMoney(redeem.data.amount_usd, say.language, 2),
              balance: formatMoney(redeem.data.balance_usd, say.language),
            })}
          </span>
        </Banner>
      )}
      <div>
        <Button type="submit" tone="primary" busy={redeem.isPending}>
          {say("redeem")}
        </Button>
      </div>
    </form>
  );
}
