import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { makePasskey, PasskeyRefusal } from "../../browser/passkey.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_PARTS, isWorthTelling } from "./account.ts";
import { securityDialogWords } from "./security-dialog-words.ts";
import { useSentence } from "./server-sentences.ts";

const NAME_MAX = 100;

const SYSTEMS = [
  [/iphone/i, "iPhone"],
  [/ipad/i, "iPad"],
  [/android/i, "Android"],
  [/mac os x|macintosh/i, "Mac"],
  [/windows/i, "Windows"],
  [/linux/i, "Linux"],
] as const;

function systemName(): string {
  return SYSTEMS.find(([pattern]) => pattern.test(navigator.userAgent))?.[1] ?? "";
}

export function PasskeyDialog({ onClose }: { onClose: () => void }) {
  const say = useWords(securityDialogWords);
  const tell = useSentence();
  const queries = useQueryClient();
  const [name, setName] = useState(() => say("nameSuggested", { system: systemName() }).trim());
  const [isAsked, setAsked] = useState(false);
  const add = useMutation({
    mutationFn: async (chosen: string) => {
      const { ticket, options } = await call("POST /account/passkeys/options");
      const response = await makePasskey(options);
      await call("POST /account/passkeys", { body: { ticket, name: chosen, response } });
      return chosen;
    },
    onSuccess: async chosen => {
      for (const part of ACCOUNT_PARTS) void queries.invalidateQueries({ queryKey: [part] });
      toast(say("added", { name: chosen }));
      onClose();
    },
  });
  const { error } = add;
  const told =
    error instanceof PasskeyRefusal ? say(error.reason) : isWorthTelling(error) ? tell(error) : undefined;
  const bare = name.trim();
  return (
    <FormDialog
      open
      onClose={onClose}
      title={say("addTitle")}
      description={say("addText")}
      action={say("add")}
      size="sm"
      busy={add.isPending}
      error={told}
      onSubmit={() => {
        setAsked(true);
        if (bare !== "") add.mutate(bare);
      }}
    >
      <Field
        label={say("name")}
        hint={say("nameHint")}
        {...(isAsked && bare === "" ? { error: say("nameMissing") } : {})}
      >
        <TextInput dir="auto" value={name} maxLength={NAME_MAX} autoComplete="off" onChange={setName} />
      </Field>
    </FormDialog>
  );
}
