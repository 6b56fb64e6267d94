import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_READS, type Detail, type Person } from "./account-reads.ts";
import { changeWords } from "./change-words.ts";
import type { Invitation } from "./invitation-list.tsx";
import { MailChoice } from "./mail-choice.tsx";
import type { Open } from "./open-dialog.tsx";
import { useSentence } from "./sentences.ts";
import { words } from "./words.ts";

type Closing = { onClose: () => void };

export function ResetDialog({
  person,
  onOpen,
  onClose,
}: Closing & { person: Person; onOpen: (open: Open) => void }) {
  const say = useWords(words);
  const tell = useSentence();
  const [isMailed, setMailed] = useState(false);
  const make = useCall("POST /operator/accounts/{id}/reset", {
    onDone: ({ link, expires_at, mail }) =>
      onOpen({ what: "link", kind: "reset", email: person.email, link, until: expires_at, mail }),
  });
  return (
    <ConfirmDialog
      open
      harmless
      onClose={onClose}
      onConfirm={() => make.mutate({ params: { id: person.id }, body: isMailed ? { send_mail: true } : {} })}
      title={say("makeResetTitle")}
      action={say("makeResetAction")}
      busy={make.isPending}
      {...(make.error === null ? {} : { error: tell(make.error) })}
    >
      <p>{say("makeResetText", { email: person.email })}</p>
      <MailChoice checked={isMailed} onChange={setMailed} />
    </ConfirmDialog>
  );
}

export function TakeBackDialog({ invitation, onClose }: Closing & { invitation: Invitation }) {
  const say = useWords(words);
  const tell = useSentence();
  const takeBack = useCall("DELETE /operator/invitations/{id}", {
    refresh: ["GET /operator/invitations"],
    onDone: () => {
      toast(say("takenBack", { email: invitation.email }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => takeBack.mutate({ params: { id: invitation.id } })}
      title={say("takeBackTitle")}
      action={say("takeBack")}
      busy={takeBack.isPending}
      {...(takeBack.error === null ? {} : { error: tell(takeBack.error) })}
    >
      <p>{say("takeBackText", { email: invitation.email })}</p>
    </ConfirmDialog>
  );
}

export function SignOutDialog({ detail, onClose }: Closing & { detail: Detail }) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const { id, email } = detail.account;
  const signOut = useCall("POST /operator/accounts/{id}/sign-out", {
    refresh: ACCOUNT_READS,
    onDone: () => {
      toast(say("signedOut", { email }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => signOut.mutate({ params: { id } })}
      title={say("signOutTitle", { email })}
      action={say("signOutAction")}
      busy={signOut.isPending}
      {...(signOut.error === null ? {} : { error: tell(signOut.error) })}
    >
      <p>{say("signOutText", { count: detail.sessions })}</p>
    </ConfirmDialog>
  );
}
