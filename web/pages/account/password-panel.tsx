import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useCall } from "../../api/query.ts";
import { NewPassword, PASSWORD_LEAST } from "../../app/new-password.tsx";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_PARTS, type Account, isWorthTelling } from "./account.ts";
import { securityWords } from "./security-words.ts";
import { useSentence } from "./server-sentences.ts";

export function PasswordPanel({ account }: { account: Account }) {
  const say = useWords(securityWords);
  const tell = useSentence();
  const [isOpen, setOpen] = useState(false);
  const [password, setPassword] = useState("");
  const [isAsked, setAsked] = useState(false);
  const change = useCall("POST /account/password", {
    refresh: [...ACCOUNT_PARTS, "GET /sessions"],
    onDone: () => {
      toast(say("passwordChanged"));
      setPassword("");
      setAsked(false);
      setOpen(false);
    },
  });
  const { error } = change;
  const isAboutIt = error instanceof ApiError && error.field("password") !== undefined;
  const action = say(account.has_password ? "changePassword" : "setPassword");
  return (
    <Panel
      title={say("passwordTitle")}
      description={say(account.has_password ? "passwordText" : "passwordNone")}
      flush={!isOpen}
      className={isOpen ? "" : "pb-1.5"}
      actions={isOpen ? undefined : <Button onClick={() => setOpen(true)}>{action}</Button>}
    >
      {isOpen ? (
        <form
          noValidate
          className="grid max-w-md gap-3"
          onSubmit={event => {
            event.preventDefault();
            setAsked(true);
            if ([...password].length < PASSWORD_LEAST || change.isPending) return;
            change.mutate({ body: { password } });
          }}
        >
          {/* For password managers, which look for whose password it is. */}
          <input type="hidden" name="username" autoComplete="username" value={account.email} readOnly />
          <NewPassword
            label={say("newPassword")}
            value={password}
            isAsked={isAsked}
            error={isAboutIt ? tell(error) : undefined}
            onChange={next => {
              setPassword(next);
              if (error !== null) change.reset();
            }}
          />
          {isAboutIt || !isWorthTelling(error) ? null : <Banner tone="bad">{tell(error)}</Banner>}
          <div>
            <Button type="submit" tone="primary" busy={change.isPending}>
              {action}
            </Button>
          </div>
        </form>
      ) : null}
    </Panel>
  );
}
