import { formatTime } from "../../format/time.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { SecretBox } from "../../parts/secret-box.tsx";
import { useLanguage, useWords } from "../../words/language-provider.tsx";
import { type Mailed, MailOutcome } from "./mail-outcome.tsx";
import { mailWords } from "./mail-words.ts";
import { words } from "./words.ts";

type Props = {
  kind: "invitation" | "reset";
  email: string;
  link: string;
  until: string;
  mail: Mailed | null;
  onClose: () => void;
};

/** A link that can be seen this one time; only its own buttons close it. */
export function LinkDialog({ kind, email, link, until, mail, onClose }: Props) {
  const say = useWords(words);
  const sayMail = useWords(mailWords);
  const { language } = useLanguage();
  return (
    <Dialog
      open
      sticky
      onClose={onClose}
      title={say("linkTitle")}
      description={
        mail?.sent === true
          ? sayMail("whoever")
          : say(kind === "invitation" ? "linkText" : "resetLinkText", { email })
      }
      footer={<Button onClick={onClose}>{say("done")}</Button>}
    >
      {mail === null ? null : <MailOutcome mail={mail} email={email} />}
      <SecretBox text={link} aside={<CopyButton text={link} tone="primary" what={say("link")} />} />
      <Banner tone="quiet">{say("linkUntil", { time: formatTime(until, language) })}</Banner>
    </Dialog>
  );
}
