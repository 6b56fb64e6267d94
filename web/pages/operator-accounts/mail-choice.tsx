import { useHouse } from "../../api/house.ts";
import { Checkbox } from "../../parts/checkbox.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { mailWords } from "./mail-words.ts";

type Props = { checked: boolean; onChange: (checked: boolean) => void };

/** Whether a link goes out by e-mail, too; nothing where the house sends none. */
export function MailChoice({ checked, onChange }: Props) {
  const say = useWords(mailWords);
  const { data: house } = useHouse();
  if (house?.mail !== true) return null;
  return (
    <Checkbox checked={checked} onChange={onChange} label={say("sendMail")} hint={say("sendMailHint")} />
  );
}
