import { Banner } from "../../parts/banner.tsx";
import { mailProblemText } from "../../refusals/mail-problem-text.ts";
import { useLanguage, useWords } from "../../words/language-provider.tsx";
import { mailWords } from "./mail-words.ts";

export type Mailed = { sent: boolean; problem: string | null };

/** Whether the mail went out, and what to change where it did not. */
export function MailOutcome({ mail, email }: { mail: Mailed; email: string }) {
  const say = useWords(mailWords);
  const { language } = useLanguage();
  if (mail.sent)
    return (
      <Banner tone="ok" title={say("sent", { email })}>
        {say("sentText")}
      </Banner>
    );
  return (
    <Banner tone="warn" title={say("notSent")}>
      {say("notSentText", { problem: mailProblemText(mail.problem ?? "", language) })}
    </Banner>
  );
}
