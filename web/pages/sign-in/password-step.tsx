import { type RefObject, useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import type { Answer } from "../../api/client.ts";
import { useErrorText } from "../../api/error-text.ts";
import { useFinishSignIn } from "../../app/finish-sign-in.ts";
import { PasskeyRefusal, provePasskey } from "../../browser/passkey.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { PasswordInput } from "../../parts/password-input.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { OtherWays } from "./other-ways.tsx";
import { words } from "./words.ts";

type House = Answer<"GET /house">;
type Props = { house: House | null; to: string; onTicket: (ticket: string) => void };

export function PasswordStep({ house, to, onTicket }: Props) {
  const say = useWords(words);
  const tell = useErrorText();
  const finish = useFinishSignIn();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [isAsked, setAsked] = useState(false);
  const [busy, setBusy] = useState<"password" | "passkey" | null>(null);
  const [error, setError] = useState<string | null>(null);
  // Where holders have no passwords, operators still have theirs.
  const [isOperator, setOperator] = useState(false);
  const passwordInput = useRef<HTMLInputElement>(null);
  const isTyped = isOperator || house?.password_sign_in !== false;

  const run = async (what: "password" | "passkey", step: () => Promise<Answer<"POST /sign-in">>) => {
    if (busy !== null) return;
    setBusy(what);
    setError(null);
    try {
      const answer = await step();
      if (answer.next === "done") await finish(to);
      else onTicket(answer.ticket);
    } catch (failure) {
      if (failure instanceof PasskeyRefusal) {
        setError(say(failure.reason === "cancelled" ? "passkeyCancelled" : "passkeyFailed"));
      } else setError(isOff(failure) ? say("passwordsOff") : tell(failure));
      if (failure instanceof ApiError && failure.code === "wrong_sign_in") passwordInput.current?.select();
    } finally {
      setBusy(null);
    }
  };
  const bySubmit = () => {
    setAsked(true);
    if (email.trim() === "" || password === "") return;
    void run("password", () => call("POST /sign-in", { body: { email: email.trim(), password } }));
  };
  const byPasskey = () =>
    run("passkey", async () => {
      const { ticket, options } = await call("POST /sign-in/passkey/options");
      return await call("POST /sign-in/passkey", { body: { ticket, response: await provePasskey(options) } });
    });

  return (
    <>
      <header className="mb-1">
        <h1 tabIndex={-1} className="font-semibold text-2xl tracking-[-0.01em]">
          {say("title")}
        </h1>
        {house === null ? null : <p className="text-ink-2">{say("subtitle", { house: house.name })}</p>}
      </header>
      <form
        noValidate
        className="panel grid gap-4 p-5"
        onSubmit={event => {
          event.preventDefault();
          bySubmit();
        }}
      >
        {isTyped ? (
          <PasswordFields
            email={email}
            onEmail={setEmail}
            password={password}
            onPassword={setPassword}
            isAsked={isAsked}
            input={passwordInput}
          />
        ) : null}
        {error === null ? null : <Banner tone="bad">{error}</Banner>}
        {isTyped ? (
          <Button type="submit" tone="primary" busy={busy === "password"} className="h-[38px]! w-full">
            {say("submit")}
          </Button>
        ) : null}
        <OtherWays
          house={house}
          to={to}
          isBelow={isTyped}
          isBusy={busy === "passkey"}
          onPasskey={() => void byPasskey()}
        />
        {isTyped ? null : (
          <Button tone="ghost" size="sm" onClick={() => setOperator(true)}>
            {say("operatorPassword")}
          </Button>
        )}
      </form>
      <Footnotes house={house} isTyped={isTyped} />
    </>
  );
}

/** A right password of somebody who may not use it here. */
function isOff(failure: unknown): boolean {
  return failure instanceof ApiError && failure.code === "not_allowed";
}

function FirstInput({ value, onChange }: { value: string; onChange: (value: string) => void }) {
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

type FieldsProps = {
  email: string;
  onEmail: (value: string) => void;
  password: string;
  onPassword: (value: string) => void;
  isAsked: boolean;
  input: RefObject<HTMLInputElement | null>;
};

function PasswordFields({ email, onEmail, password, onPassword, isAsked, input }: FieldsProps) {
  const say = useWords(words);
  return (
    <>
      <Field label={say("email")} {...(isAsked && email.trim() === "" ? { error: say("emailMissing") } : {})}>
        <FirstInput value={email} onChange={onEmail} />
      </Field>
      <Field
        label={say("password")}
        {...(isAsked && password === "" ? { error: say("passwordMissing") } : {})}
      >
        <PasswordInput
          ref={input}
          value={password}
          onChange={onPassword}
          autoComplete="current-password"
          name="password"
        />
      </Field>
    </>
  );
}

function Forgotten({ isMailed }: { isMailed: boolean }) {
  const say = useWords(words);
  if (!isMailed) return <p className="text-balance text-ink-3">{say("forgot")}</p>;
  return (
    <p>
      <TextLink to="/sign-in" search={before => ({ ...before, forgot: true })}>
        {say("forgotLink")}
      </TextLink>
    </p>
  );
}

function Footnotes({ house, isTyped }: { house: House | null; isTyped: boolean }) {
  const say = useWords(words);
  return (
    <div className="grid justify-items-center gap-2 text-center text-ink-2 text-sm">
      {house?.registration ? (
        <p>
          {say("noAccount")} <TextLink to="/register">{say("register")}</TextLink>
        </p>
      ) : (
        <p className="text-balance">{say("invitationOnly")}</p>
      )}
      {isTyped ? <Forgotten isMailed={house?.mail === true} /> : null}
      <p>
        <TextLink to="/check">{say("checkLink")}</TextLink>
      </p>
    </div>
  );
}
