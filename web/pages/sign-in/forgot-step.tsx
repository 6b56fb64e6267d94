import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useErrorText } from "../../api/error-text.ts";
import { useCall } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { words } from "./words.ts";

/** Asks for a link by e-mail. The answer is the same for everybody, so it says no more than it knows. */
export function ForgotStep() {
  const say = useWords(words);
  const tell = useErrorText();
  const [email, setEmail] = useState("");
  const [isAsked, setAsked] = useState(false);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const ask = useCall("POST /sign-in/forgot", { onDone: (_, { body }) => setSentTo(body.email) });
  const problem =
    email.trim() === ""
      ? say("emailMissing")
      : /^\S+@\S+$/.test(email.trim())
        ? undefined
        : say("emailWrong");
  const submit = () => {
    setAsked(true);
    if (problem === undefined && !ask.isPending) ask.mutate({ body: { email: email.trim() } });
  };
  const isOff = ask.error instanceof ApiError && ask.error.code === "not_allowed";
  return (
    <>
      <header className="mb-1">
        <h1 tabIndex={-1} className="font-semibold text-2xl tracking-[-0.01em]">
          {say("forgotTitle")}
        </h1>
        {sentTo === null ? <p className="text-ink-2">{say("forgotText")}</p> : null}
      </header>
      <form
        noValidate
        className="panel grid gap-4 p-5"
        onSubmit={event => {
          event.preventDefault();
          submit();
        }}
      >
        {sentTo === null ? (
          <>
            <Field label={say("email")} {...(isAsked && problem !== undefined ? { error: problem } : {})}>
              <EmailInput value={email} onChange={setEmail} />
            </Field>
            {ask.error === null ? null : (
              <Banner tone="bad">{isOff ? say("forgotOff") : tell(ask.error)}</Banner>
            )}
            <Button type="submit" tone="primary" busy={ask.isPending} className="h-[38px]! w-full">
              {say("forgotSubmit")}
            </Button>
          </>
        ) : (
          <div role="status">
            <Banner tone="ok" title={say("forgotDone")}>
              {say("forgotDoneText", { email: sentTo })}
            </Banner>
          </div>
        )}
      </form>
      <p className="text-center text-sm">
        <TextLink to="/sign-in" search={({ forgot: _, ...before }) => before}>
          {say("backToSignIn")}
        </TextLink>
      </p>
    </>
  );
}

function EmailInput({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <TextInput
      ref={input}
      type="email"
      name="email"
      value={value}
      onChange={onChange}
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
    />
  );
}
