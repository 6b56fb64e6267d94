import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { useErrorText } from "../../api/error-text.ts";
import { useFinishSignIn } from "../../app/finish-sign-in.ts";
import { NewPassword, PASSWORD_LEAST } from "../../app/new-password.tsx";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useLanguage, useWords } from "../../words/language-provider.tsx";
import { words } from "./words.ts";

export function RegisterForm() {
  const say = useWords(words);
  const tell = useErrorText();
  const finish = useFinishSignIn();
  const { language } = useLanguage();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [isAsked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const emailProblem =
    email.trim() === ""
      ? say("emailMissing")
      : /^\S+@\S+$/.test(email.trim())
        ? undefined
        : say("emailWrong");
  const submit = async () => {
    setAsked(true);
    if (busy || emailProblem !== undefined || [...password].length < PASSWORD_LEAST) return;
    setBusy(true);
    setError(null);
    try {
      const answer = await call("POST /register", { body: { email: email.trim(), password, language } });
      if (answer.next === "done") await finish();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  const fieldError = (path: string) => (error instanceof ApiError ? error.field(path) : undefined);
  const shownEmail = fieldError("email") ?? (isAsked ? emailProblem : undefined);
  const isAtField = fieldError("email") !== undefined || fieldError("password") !== undefined;
  return (
    <form
      noValidate
      className="panel grid gap-4 p-5"
      onSubmit={event => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field
        label={say("email")}
        hint={say("emailHint")}
        {...(shownEmail === undefined ? {} : { error: shownEmail })}
      >
        <TextInput
          type="email"
          name="email"
          value={email}
          onChange={setEmail}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Field>
      <NewPassword
        label={say("password")}
        value={password}
        onChange={setPassword}
        isAsked={isAsked}
        error={fieldError("password")}
      />
      {error === null || isAtField ? null : <Banner tone="bad">{tell(error)}</Banner>}
      <Button type="submit" tone="primary" busy={busy} className="h-[38px]! w-full">
        {say("submit")}
      </Button>
    </form>
  );
}
