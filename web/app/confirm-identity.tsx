import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { Fingerprint } from "lucide-react";
import { useId, useState } from "react";
import { call } from "../api/call.ts";
import { addressOf, type Body } from "../api/client.ts";
import { useErrorText } from "../api/error-text.ts";
import { useHouse } from "../api/house.ts";
import { type Session, sessionQuery, useSession } from "../api/session.ts";
import { canPasskey, PasskeyRefusal, provePasskey } from "../browser/passkey.ts";
import { Banner } from "../parts/banner.tsx";
import { Button, buttonClass } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Field } from "../parts/field.tsx";
import { PasswordInput } from "../parts/password-input.tsx";
import { TextInput } from "../parts/text-input.tsx";
import { useWords } from "../words/language-provider.tsx";
import { confirmWords } from "./confirm-words.ts";
import { answerIdentity } from "./identity-gate.ts";

type Proof = Body<"POST /session/confirm">;

/** Sends a proof; the dialog closes once it is taken and the call that asked goes on. */
function useProof() {
  const queries = useQueryClient();
  const tell = useErrorText();
  const say = useWords(confirmWords);
  const [busy, setBusy] = useState<"typed" | "passkey" | null>(null);
  const [error, setError] = useState<string | null>(null);
  const prove = async (what: "typed" | "passkey", give: () => Promise<Proof>) => {
    if (busy !== null) return;
    setBusy(what);
    setError(null);
    try {
      const session = await call("POST /session/confirm", { body: await give() });
      queries.setQueryData<Session | null>(sessionQuery.queryKey, session);
      answerIdentity(true);
    } catch (failure) {
      if (failure instanceof PasskeyRefusal) {
        setError(say(failure.reason === "cancelled" ? "passkeyCancelled" : "passkeyFailed"));
      } else setError(tell(failure));
      setBusy(null);
    }
  };
  return { busy, error, prove };
}

export function ConfirmIdentity() {
  const say = useWords(confirmWords);
  const id = useId();
  const { data: session } = useSession();
  const { busy, error, prove } = useProof();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [isAsked, setAsked] = useState(false);
  const proofs = session?.proofs ?? [];
  const needs = { password: proofs.includes("password"), code: proofs.includes("totp") };
  const isTyped = needs.password || needs.code;
  const submit = () => {
    setAsked(true);
    const typed = code.replaceAll(/\s/g, "");
    if ((needs.password && password === "") || (needs.code && typed.length < 6)) return;
    void prove("typed", async () => ({
      ...(needs.password ? { password } : {}),
      ...(needs.code ? { code: typed } : {}),
    }));
  };
  const byPasskey = () =>
    prove("passkey", async () => {
      const { ticket, options } = await call("POST /session/passkey/options");
      return { passkey: { ticket, response: await provePasskey(options) } };
    });
  return (
    <Dialog
      open
      onClose={() => answerIdentity(false)}
      title={say("title")}
      description={say("text")}
      size="sm"
      footer={
        <>
          <Button onClick={() => answerIdentity(false)}>{say("cancel")}</Button>
          {isTyped ? (
            <Button type="submit" form={id} tone="primary" busy={busy === "typed"}>
              {say("submit")}
            </Button>
          ) : null}
        </>
      }
    >
      <form
        id={id}
        noValidate
        className="grid gap-3.5"
        onSubmit={event => {
          event.preventDefault();
          event.stopPropagation();
          submit();
        }}
      >
        {/* For password managers, which look for whose password it is. */}
        <input
          type="hidden"
          name="username"
          autoComplete="username"
          value={session?.account.email ?? ""}
          readOnly
        />
        {needs.password ? (
          <Field
            label={say("password")}
            {...(isAsked && password === "" ? { error: say("passwordMissing") } : {})}
          >
            <PasswordInput
              value={password}
              onChange={setPassword}
              autoComplete="current-password"
              name="password"
            />
          </Field>
        ) : null}
        {needs.code ? (
          <Field
            label={say("code")}
            hint={say("codeHint")}
            {...(isAsked && code === "" ? { error: say("codeMissing") } : {})}
          >
            <TextInput value={code} onChange={setCode} mono autoComplete="one-time-code" name="code" />
          </Field>
        ) : null}
        {error === null ? null : <Banner tone="bad">{error}</Banner>}
        {proofs.includes("passkey") && canPasskey() ? (
          <Button
            busy={busy === "passkey"}
            onClick={() => void byPasskey()}
            icon={<Fingerprint size={16} aria-hidden />}
          >
            {say("passkey")}
          </Button>
        ) : null}
        {proofs.includes("oidc") ? <OidcProof /> : null}
        {proofs.length === 0 ? <Banner tone="warn">{say("none")}</Banner> : null}
      </form>
    </Dialog>
  );
}

function OidcProof() {
  const say = useWords(confirmWords);
  const { data: house } = useHouse();
  const href = useLocation({ select: ({ pathname, searchStr }) => pathname + searchStr });
  return (
    <div className="grid gap-1">
      <a href={addressOf("GET /sign-in/oidc", { query: { return: href } })} className={buttonClass()}>
        {say("oidc", { name: house?.oidc ?? say("oidcName") })}
      </a>
      <p className="text-ink-3 text-xs">{say("oidcNote")}</p>
    </div>
  );
}
