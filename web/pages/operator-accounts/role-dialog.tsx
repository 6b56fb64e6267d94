import { useState } from "react";
import { useCall } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { RadioCards } from "../../parts/radio-cards.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { ACCOUNT_READS, type Person } from "./account-reads.ts";
import { changeWords } from "./change-words.ts";
import { useSentence } from "./sentences.ts";
import { words } from "./words.ts";

export function RoleDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const say = useWords(changeWords);
  const word = useWords(words);
  const tell = useSentence();
  const [role, setRole] = useState(person.role);
  const change = useCall("PATCH /operator/accounts/{id}", {
    refresh: ACCOUNT_READS,
    onDone: () => {
      toast(say("roleDone", { email: person.email }));
      onClose();
    },
  });
  const isMore = role === "operator" && person.role === "holder";
  const isLess = role === "holder" && person.role === "operator";
  return (
    <FormDialog
      open
      onClose={onClose}
      onSubmit={() => change.mutate({ params: { id: person.id }, body: { role } })}
      title={say("roleTitle")}
      description={person.email}
      action={say("save")}
      disabled={role === person.role}
      busy={change.isPending}
      {...(change.error === null ? {} : { error: tell(change.error) })}
    >
      <Field group label={word("role")}>
        <RadioCards
          value={role}
          onChange={setRole}
          columns={2}
          cards={[
            { value: "holder", title: word("holderTitle"), detail: word("holderDetail") },
            { value: "operator", title: word("operatorTitle"), detail: word("operatorDetail") },
          ]}
        />
      </Field>
      {isMore ? <Banner tone="warn">{say("roleMore")}</Banner> : null}
      {isLess ? <Banner tone="warn">{say("roleLess")}</Banner> : null}
    </FormDialog>
  );
}
