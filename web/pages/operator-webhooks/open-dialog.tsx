import { useCall } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { SecretBox } from "../../parts/secret-box.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { useSentence } from "./sentences.ts";
import { VERIFY_CODE } from "./verify-code.ts";
import { WEBHOOK_PARTS, type Webhook } from "./webhook.ts";
import { EditDialog, MakeDialog } from "./webhook-form.tsx";
import { words } from "./words.ts";

export type Open =
  | { what: "make" }
  | { what: "edit" | "secret" | "remove"; webhook: Webhook }
  | { what: "made"; name: string; secret: string };

type Props = { open: Open; onOpen: (open: Open) => void; onClose: () => void };

export function OpenDialog({ open, onOpen, onClose }: Props) {
  const onMade = (name: string, secret: string) => onOpen({ what: "made", name, secret });
  switch (open.what) {
    case "make":
      return <MakeDialog onMade={onMade} onClose={onClose} />;
    case "edit":
      return <EditDialog webhook={open.webhook} onClose={onClose} />;
    case "made":
      return <MadeDialog name={open.name} secret={open.secret} onClose={onClose} />;
    case "secret":
      return <SecretDialog webhook={open.webhook} onMade={onMade} onClose={onClose} />;
    case "remove":
      return <RemoveDialog webhook={open.webhook} onClose={onClose} />;
  }
}

/** The secret, this one time, and what to do with it; only its own button closes it. */
function MadeDialog({ name, secret, onClose }: { name: string; secret: string; onClose: () => void }) {
  const say = useWords(words);
  return (
    <Dialog
      open
      sticky
      size="lg"
      onClose={onClose}
      title={say("madeTitle")}
      description={say("madeText", { name })}
      footer={<Button onClick={onClose}>{say("done")}</Button>}
    >
      <SecretBox text={secret} aside={<CopyButton text={secret} tone="primary" what={say("secret")} />} />
      <Banner tone="quiet">{say("madeOnce")}</Banner>
      <section className="grid grid-cols-[minmax(0,1fr)] gap-2">
        <h3 className="font-semibold">{say("verify")}</h3>
        <p className="text-ink-2 text-sm">{say("verifyText")}</p>
        <CodeBlock code={VERIFY_CODE} language="JavaScript" />
      </section>
    </Dialog>
  );
}

type SecretProps = {
  webhook: Webhook;
  onMade: (name: string, secret: string) => void;
  onClose: () => void;
};

function SecretDialog({ webhook, onMade, onClose }: SecretProps) {
  const say = useWords(words);
  const { tell } = useSentence();
  const renew = useCall("POST /operator/webhooks/{id}/secret", {
    refresh: WEBHOOK_PARTS,
    onDone: ({ secret }) => onMade(webhook.name, secret),
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => renew.mutate({ params: { id: webhook.id }, body: {} })}
      title={say("secretTitle", { name: webhook.name })}
      action={say("newSecret")}
      busy={renew.isPending}
      {...(renew.error === null ? {} : { error: tell(renew.error) })}
    >
      <p>{say("secretText")}</p>
    </ConfirmDialog>
  );
}

function RemoveDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const say = useWords(words);
  const { tell } = useSentence();
  const remove = useCall("DELETE /operator/webhooks/{id}", {
    refresh: WEBHOOK_PARTS,
    onDone: () => {
      toast(say("removed", { name: webhook.name }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { id: webhook.id } })}
      title={say("removeTitle", { name: webhook.name })}
      action={say("remove")}
      busy={remove.isPending}
      {...(remove.error === null ? {} : { error: tell(remove.error) })}
    >
      <p>{say("removeText")}</p>
    </ConfirmDialog>
  );
}
