import { useState } from "react";
import { API_ROOT } from "../../api/client.ts";
import { useCall } from "../../api/query.ts";
import { formatTime } from "../../format/time.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { RadioCards } from "../../parts/radio-cards.tsx";
import { SecretBox } from "../../parts/secret-box.tsx";
import { Select } from "../../parts/select.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { useSentence } from "../operator-accounts/sentences.ts";
import type { Token } from "./page.tsx";
import { SCOPE_WORDS, SCOPES } from "./scopes.ts";
import { words } from "./words.ts";

export type Open =
  | { what: "make" }
  | { what: "made"; token: Token; string: string }
  | { what: "end"; token: Token };

type Props = { open: Open; onOpen: (open: Open) => void; onClose: () => void };

const DAYS = ["7", "30", "90", "180", "366"] as const;
const NAME_MAX = 100;

export function OpenDialog({ open, onOpen, onClose }: Props) {
  switch (open.what) {
    case "make":
      return <MakeDialog onOpen={onOpen} onClose={onClose} />;
    case "made":
      return <MadeDialog token={open.token} string={open.string} onClose={onClose} />;
    case "end":
      return <EndDialog token={open.token} onClose={onClose} />;
  }
}

function MakeDialog({ onOpen, onClose }: Omit<Props, "open">) {
  const say = useWords(words);
  const tell = useSentence();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Token["scope"]>("read");
  const [days, setDays] = useState<(typeof DAYS)[number]>("90");
  const [isAsked, setAsked] = useState(false);
  const make = useCall("POST /operator/tokens", {
    refresh: ["GET /operator/tokens"],
    onDone: ({ token, string }) => onOpen({ what: "made", token, string }),
  });
  const isMissing = name.trim() === "";
  const submit = () => {
    setAsked(true);
    if (!isMissing) make.mutate({ body: { name: name.trim(), scope, days: Number(days) } });
  };
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={submit}
      title={say("makeTitle")}
      description={say("makeText")}
      action={say("make")}
      busy={make.isPending}
      {...(make.error === null ? {} : { error: tell(make.error) })}
    >
      <Field
        label={say("name")}
        hint={say("nameHint")}
        {...(isAsked && isMissing ? { error: say("nameMissing") } : {})}
      >
        <TextInput value={name} onChange={setName} maxLength={NAME_MAX} autoComplete="off" />
      </Field>
      <Field group label={say("scope")}>
        <RadioCards
          value={scope}
          onChange={setScope}
          cards={SCOPES.map(value => ({
            value,
            title: say(SCOPE_WORDS[value].title),
            detail: say(SCOPE_WORDS[value].detail),
          }))}
        />
      </Field>
      <Field label={say("lasts")} hint={say("lastsHint")}>
        <Select
          value={days}
          onChange={setDays}
          options={DAYS.map(value => ({ value, label: say("days", { count: Number(value) }) }))}
        />
      </Field>
    </FormDialog>
  );
}

/** The string, this one time; only its own buttons close it. */
function MadeDialog({ token, string, onClose }: { token: Token; string: string; onClose: () => void }) {
  const say = useWords(words);
  const curl = (text: string) =>
    `curl ${window.location.origin}${API_ROOT}/operator/accounts \\\n  -H "Authorization: Bearer ${text}"`;
  return (
    <Dialog
      open
      sticky
      onClose={onClose}
      title={say("madeTitle")}
      description={say("madeText", { name: token.name })}
      footer={<Button onClick={onClose}>{say("done")}</Button>}
    >
      <SecretBox text={string} aside={<CopyButton text={string} tone="primary" what={say("token")} />} />
      <CodeBlock code={curl("$WICKETGATE_TOKEN")} language="bash" copy={curl("$WICKETGATE_TOKEN")} />
      <Banner tone="quiet">
        {say("madeOnce", { time: formatTime(token.expires_at, say.language, "date") })}
      </Banner>
    </Dialog>
  );
}

function EndDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const say = useWords(words);
  const tell = useSentence();
  const end = useCall("DELETE /operator/tokens/{id}", {
    refresh: ["GET /operator/tokens"],
    onDone: () => {
      toast(say("ended", { name: token.name }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => end.mutate({ params: { id: token.id } })}
      title={say("endTitle", { name: token.name })}
      action={say("end")}
      busy={end.isPending}
      {...(end.error === null ? {} : { error: tell(end.error) })}
    >
      <p>{say("endText")}</p>
    </ConfirmDialog>
  );
}
