import { formatTime } from "../../format/time.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { SecretBox } from "../../parts/secret-box.tsx";
import { useLanguage, useWords } from "../../words/language-provider.tsx";
import { words } from "./words.ts";

type Props = {
  kind: "invitation" | "reset";
  email: string;
  link: string;
  until: string;
  onClose: () => void;
};

/** A link that can be seen this one time; only its own buttons close it. */
export function LinkDialog({ kind, email, link, until, onClose }: Props) {
  const say = useWords(words);
  const { language } = useLanguage();
  return (
    <Dialog
      open
      sticky
      onClose={onClose}
      title={say("linkTitle")}
      description={say(kind === "invitation" ? "linkText" : "resetLinkText", { email })}
      footer={<Button onClick={onClose}>{say("done")}</Button>}
    >
      <SecretBox text={link} aside={<CopyButton text={link} tone="primary" what={say("link")} />} />
      <Banner tone="quiet">{say("linkUntil", { time: formatTime(until, language) })}</Banner>
    </Dialog>
  );
}
