import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import type { Answer } from "../../api/client.ts";
import { useErrorText } from "../../api/error-text.ts";
import { useHouse } from "../../api/house.ts";
import { useFinishSignIn } from "../../app/finish-sign-in.ts";
import { NewPassword, PASSWORD_LEAST } from "../../app/new-password.tsx";
import { usePageTitle } from "../../app/page-title.ts";
import { formatTime } from "../../format/time.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useLanguage, useWords } from "../../words/language-provider.tsx";
import { words } from "./words.ts";

type Link = Answer<"POST /links/look">;

const TEXTS = {
  setup: { title: "setupTitle", text: "setupText", submit: "setupSubmit" },
  invitation: { title: "invitationTitle", text: "invitationText", submit: "invitationSubmit" },
  reset: { title: "resetTitle", text: "resetText", submit: "resetSubmit" },
} as const;

export function LinkForm({ link, token }: { link: Link; token: string }) {
  const say = useWords(words);
  const tell = useErrorText();
  const { language } = useLanguage();
  const finish = useFinishSignIn();
  const { data: house } = useHouse();
  const [email, setEmail] = useState(link.email ?? "");
  const [password, setPassword] = useState("");
  const [isAsked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | Error | null>(null);
  const texts = TEXTS[link.kind];
  usePageTitle(say(texts.title));

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
      const given = link.email === null ? { email: email.trim() } : {};
      const answer = await call("POST /links/use", { body: { token, password, language, ...given } });
      if (answer.next === "done") await finish();
      else location.assign(`/console/sign-in#second_factor=${encodeURIComponent(answer.ticket)}`);
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
    } finally {
      setBusy(false);
    }
  };
  const fieldError = (path: string) => (error instanceof ApiError ? error.field(path) : undefined);
  const shownEmail = fieldError("email") ?? (isAsked ? emailProblem : undefined);
  const hasFieldError = fieldError("email") !== undefined || fieldError("password") !== undefined;

  return (
    <div className="grid gap-4">
      <header className="mb-1">
        <h1 tabIndex={-1} className="font-semibold text-2xl tracking-[-0.01em]">
          {say(texts.title)}
        </h1>
        <p className="text-ink-2">{say(texts.text)}</p>
      </header>
      {link.kind === "invitation" && link.role === "operator" ? (
        <Banner tone="info">{say("invitationOperator")}</Banner>
      ) : null}
      {link.role === "holder" && house?.password_sign_in === false ? (
        <Banner tone="info">
          {house.oidc === null ? say("onlyPasskey") : say("onlyService", { name: house.oidc })}
        </Banner>
      ) : null}
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
          {...(link.email === null ? { hint: say("emailHint") } : {})}
          {...(shownEmail === undefined ? {} : { error: shownEmail })}
        >
          <TextInput
            type="email"
            name="email"
            value={email}
            onChange={setEmail}
            readOnly={link.email !== null}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus={link.email === null}
          />
        </Field>
        <NewPassword
          label={say("password")}
          value={password}
          onChange={setPassword}
          isAsked={isAsked}
          error={fieldError("password")}
        />
        {error === null || hasFieldError ? null : <Banner tone="bad">{tell(error)}</Banner>}
        <Button type="submit" tone="primary" busy={busy} className="h-[38px]! w-full">
          {say(texts.submit)}
        </Button>
      </form>
      <p className="text-center text-ink-3 text-xs">
        {say("until", { time: formatTime(link.expires_at, language) })}
      </p>
    </div>
  );
}
