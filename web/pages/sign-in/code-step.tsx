import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { useErrorText } from "../../api/error-text.ts";
import { useFinishSignIn } from "../../app/finish-sign-in.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { words } from "./words.ts";

type Props = { ticket: string; to: string; onStartOver: (isLate: boolean) => void };

const CODE_LEAST = 6;

export function CodeStep({ ticket, to, onStartOver }: Props) {
  const say = useWords(words);
  const tell = useErrorText();
  const finish = useFinishSignIn();
  const [held, setHeld] = useState(ticket);
  const [code, setCode] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);

  const submit = async () => {
    const typed = code.replaceAll(/\s/g, "");
    if (busy) return;
    if (typed.length < CODE_LEAST) {
      setError(say("codeMissing"));
      return;
    }
    setBusy(true);
    setError(null);
    try {
      const answer = await call("POST /sign-in/second-factor", { body: { ticket: held, code: typed } });
      if (answer.next === "done") await finish(to);
      else setHeld(answer.ticket);
    } catch (failure) {
      if (failure instanceof ApiError && failure.code === "link_invalid") onStartOver(true);
      else setError(tell(failure));
      input.current?.select();
    } finally {
      setBusy(false);
    }
  };

  return (
    <>
      <header className="mb-1">
        <h1 tabIndex={-1} className="font-semibold text-2xl tracking-[-0.01em]">
          {say("codeTitle")}
        </h1>
        <p className="text-ink-2">{say("codeText")}</p>
      </header>
      <form
        noValidate
        className="panel grid gap-4 p-5"
        onSubmit={event => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field label={say("code")} {...(error === null ? {} : { error })}>
          <TextInput
            ref={input}
            value={code}
            onChange={setCode}
            mono
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            name="code"
            className="text-lg! tracking-[0.12em]"
          />
        </Field>
        <Button type="submit" tone="primary" busy={busy} className="h-[38px]! w-full">
          {say("codeSubmit")}
        </Button>
        <Button tone="ghost" onClick={() => onStartOver(false)}>
          {say("startOver")}
        </Button>
      </form>
    </>
  );
}
