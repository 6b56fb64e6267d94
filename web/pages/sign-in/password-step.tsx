import { Fingerprint } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { call } from "../../api/call.ts";
import { type Answer, addressOf } from "../../api/client.ts";
import { useErrorText } from "../../api/error-text.ts";
import { useFinishSignIn } from "../../app/finish-sign-in.ts";
import { canPasskey, PasskeyRefusal, provePasskey } from "../../browser/passkey.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button, buttonClass } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { PasswordInput } from "../../parts/password-input.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { TextLink } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
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
  const passwordInput = useRef<HTMLInputElement>(null);

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
      } else setError(tell(failure));
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
        <Field
          label={say("email")}
          {...(isAsked && email.trim() === "" ? { error: say("emailMissing") } : {})}
        >
          <FirstInput value={email} onChange={setEmail} />
        </Field>
        <Field
          label={say("password")}
          {...(isAsked && password === "" ? { error: say("passwordMissing") } : {})}
        >
          <PasswordInput
            ref={passwordInput}
            value={password}
            onChange={setPassword}
            autoComplete="current-password"
            name="password"
          />
        </Field>
        {error === null ? null : <Banner tone="bad">{error}</Banner>}
        <Button type="submit" tone="primary" busy={busy === "password"} className="h-[38px]! w-full">
          {say("submit")}
        </Button>
        <OtherWays house={house} to={to} isBusy={busy === "passkey"} onPasskey={() => void byPasskey()} />
      </form>
      <Footnotes house={house} />
    </>
  );
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

type OtherProps = { house: House | null; to: string; isBusy: boolean; onPasskey: () => void };

function OtherWays({ house, to, isBusy, onPasskey }: OtherProps) {
  const say = useWords(words);
  const oidc = house?.oidc ?? null;
  if (!canPasskey() && oidc === null) return null;
  return (
    <>
      <div className="flex items-center gap-3 text-ink-3 text-xs before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {say("or")}
      </div>
      <div className="grid gap-2">
        {canPasskey() ? (
          <Button
            busy={isBusy}
            onClick={onPasskey}
            icon={<Fingerprint size={16} aria-hidden />}
            className="h-[38px]! w-full"
          >
            {say("passkey")}
          </Button>
        ) : null}
        {oidc === null ? null : (
          <a
            href={addressOf("GET /sign-in/oidc", { query: { return: to } })}
            className={`${buttonClass()} h-[38px]! w-full`}
          >
            {say("oidc", { name: oidc })}
          </a>
        )}
      </div>
    </>
  );
}

function Footnotes({ house }: { house: House | null }) {
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
      <p className="text-balance text-ink-3">{say("forgot")}</p>
      <p>
        <TextLink to="/check">{say("checkLink")}</TextLink>
      </p>
    </div>
  );
}
