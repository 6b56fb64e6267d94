import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useHouse } from "../../api/house.ts";
import { useCall } from "../../api/query.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { RadioCards } from "../../parts/radio-cards.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { MailChoice } from "./mail-choice.tsx";
import { mailWords } from "./mail-words.ts";
import type { Open } from "./open-dialog.tsx";
import { useSentence } from "./sentences.ts";
import { words } from "./words.ts";

type Props = { onOpen: (open: Open) => void; onClose: () => void };

export function InviteDialog({ onOpen, onClose }: Props) {
  const say = useWords(words);
  const sayMail = useWords(mailWords);
  const { data: house } = useHouse();
  const tell = useSentence();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<"holder" | "operator">("holder");
  const [balance, setBalance] = useState("");
  const [isMailed, setMailed] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const invite = useCall("POST /operator/invitations", {
    refresh: ["GET /operator/invitations"],
    onDone: ({ link, invitation, mail }) =>
      onOpen({
        what: "link",
        kind: "invitation",
        email: invitation.email,
        link,
        until: invitation.expires_at,
        mail,
      }),
  });
  const problem =
    email.trim() === ""
      ? say("emailMissing")
      : /^\S+@\S+$/.test(email.trim())
        ? undefined
        : say("emailWrong");
  const field = (path: string) => (invite.error instanceof ApiError ? invite.error.field(path) : undefined);
  const shown = field("email") ?? (isAsked ? problem : undefined);
  const balanceError = field("balance_usd");
  const isAtField = field("email") !== undefined || balanceError !== undefined;
  const submit = () => {
    setAsked(true);
    if (problem !== undefined) return;
    const amount = balance.replace(/\.$/, "");
    const more = {
      ...(amount === "" ? {} : { balance_usd: amount }),
      ...(isMailed ? { send_mail: true } : {}),
    };
    invite.mutate({ body: { email: email.trim(), role, ...more } });
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={submit}
      title={say("inviteTitle")}
      description={say("inviteText")}
      action={say("makeLink")}
      busy={invite.isPending}
      {...(invite.error === null || isAtField ? {} : { error: tell(invite.error) })}
    >
      <Field
        label={say("email")}
        hint={house?.mail ? sayMail("emailHint") : say("emailHint")}
        {...(shown === undefined ? {} : { error: shown })}
      >
        <TextInput
          type="email"
          value={email}
          onChange={setEmail}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Field>
      <Field group label={say("role")}>
        <RadioCards
          value={role}
          onChange={setRole}
          columns={2}
          cards={[
            { value: "holder", title: say("holderTitle"), detail: say("holderDetail") },
            { value: "operator", title: say("operatorTitle"), detail: say("operatorDetail") },
          ]}
        />
      </Field>
      <Field
        label={say("startBalance")}
        optional
        hint={say("startBalanceHint")}
        {...(balanceError === undefined ? {} : { error: balanceError })}
      >
        <NumberInput
          value={balance}
          onChange={setBalance}
          kind="decimal"
          prefix="$"
          suffix="USD"
          placeholder="0"
        />
      </Field>
      <MailChoice checked={isMailed} onChange={setMailed} />
    </FormDialog>
  );
}
