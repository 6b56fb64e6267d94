import { useCall } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { Section } from "./section.tsx";
import { useFieldSentence, useSentence } from "./sentences.ts";
import type { PartProps } from "./sign-in-part.tsx";
import { words } from "./words.ts";

export function MailPart({ settings, drafting }: PartProps) {
  const say = useWords(words);
  const tell = useSentence();
  const tellProblem = useFieldSentence();
  const test = useCall("POST /operator/settings/mail-test");
  const host = settings.find(({ name }) => name === "smtp_host")?.value ?? "";
  return (
    <Section
      settings={settings}
      drafting={drafting}
      title={say("mail")}
      description={say("mailText")}
      names={["smtp_host", "smtp_port", "smtp_security", "smtp_user", "smtp_password", "smtp_from"]}
      actions={isChanged => (
        <Button
          busy={test.isPending}
          disabled={isChanged || host === ""}
          {...(isChanged ? { title: say("saveFirst") } : {})}
          onClick={() => test.mutate({})}
        >
          {say("testMail")}
        </Button>
      )}
    >
      {test.error === null ? null : <Banner tone="bad">{tell(test.error)}</Banner>}
      {test.data === undefined || test.isPending ? null : test.data.problem === null ? (
        <Banner tone="ok">
          <span role="status">{say("mailGood", { to: test.data.to })}</span>
        </Banner>
      ) : (
        <Banner tone="bad">{tellProblem(test.data.problem)}</Banner>
      )}
    </Section>
  );
}
