import { useState } from "react";
import type { Answer } from "../../api/client.ts";
import { useCall } from "../../api/query.ts";
import { CodeValue } from "../../parts/code-value.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_PARTS, isWorthTelling } from "./account.ts";
import { QrCode } from "./qr-code.tsx";
import { securityDialogWords } from "./security-dialog-words.ts";
import { useSentence } from "./server-sentences.ts";
import type { TotpSetUp } from "./two-factor-panel.tsx";

type Props = {
  setUp: TotpSetUp;
  onClose: () => void;
  onDone: (answer: Answer<"POST /account/totp/confirm">) => void;
};

const GROUP = /(.{4})(?=.)/g;

/** The secret as picture and text, and the first code as the proof that the app has it. */
export function TwoFactorDialog({ setUp, onClose, onDone }: Props) {
  const say = useWords(securityDialogWords);
  const tell = useSentence();
  const [code, setCode] = useState("");
  const [isAsked, setAsked] = useState(false);
  const confirm = useCall("POST /account/totp/confirm", { refresh: ACCOUNT_PARTS, onDone });
  const digits = code.replaceAll(/\s/g, "");
  const isWhole = /^\d{6}$/.test(digits);
  const error =
    isAsked && !isWhole ? say("codeWrong") : isWorthTelling(confirm.error) ? tell(confirm.error) : undefined;
  return (
    <FormDialog
      open
      onClose={onClose}
      title={say("setUpTitle")}
      action={say("turnOn")}
      busy={confirm.isPending}
      onSubmit={() => {
        setAsked(true);
        if (isWhole) confirm.mutate({ body: { ticket: setUp.ticket, code: digits } });
      }}
    >
      <p className="text-ink-2">{say("scan")}</p>
      <div className="flex flex-wrap items-center gap-5 phone:justify-center">
        <div className="rounded-lg border border-line-strong p-1">
          <QrCode text={setUp.uri} label={say("qr")} />
        </div>
        <div className="grid min-w-52 flex-1 gap-1.5">
          <p className="text-ink-2 text-sm">{say("byHand")}</p>
          <CodeValue value={setUp.secret.replaceAll(GROUP, "$1 ")} what={say("secret")} />
        </div>
      </div>
      <Field label={say("code")} hint={say("codeHint")} {...(error === undefined ? {} : { error })}>
        <TextInput
          mono
          value={code}
          maxLength={9}
          inputMode="numeric"
          autoComplete="one-time-code"
          onChange={next => {
            setCode(next);
            setAsked(false);
            if (confirm.error !== null) confirm.reset();
          }}
        />
      </Field>
    </FormDialog>
  );
}
