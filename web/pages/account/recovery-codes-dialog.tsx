import { Download } from "lucide-react";
import { useState } from "react";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { saveText } from "../../parts/save-text.ts";
import { useWords } from "../../words/language-provider.tsx";
import { securityDialogWords } from "./security-dialog-words.ts";

type Props = { codes: readonly string[]; email: string; onClose: () => void };

const FILE = "wicketgate-recovery-codes.txt";

/** Shown once: it does not close by accident before they were copied or saved. */
export function RecoveryCodesDialog({ codes, email, onClose }: Props) {
  const say = useWords(securityDialogWords);
  const [isKept, setKept] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const text = codes.join("\n");
  const close = () => (isKept ? onClose() : setAsking(true));
  return (
    <Dialog
      open
      sticky
      onClose={close}
      title={say("codesTitle")}
      description={say("codesText")}
      size="sm"
      footer={
        isAsking && !isKept ? (
          <>
            <Button tone="bad" onClick={onClose}>
              {say("closeAnyway")}
            </Button>
            <Button tone="primary" onClick={onClose}>
              {say("kept")}
            </Button>
          </>
        ) : (
          <Button tone="primary" onClick={close}>
            {say("done")}
          </Button>
        )
      }
    >
      <ul
        aria-label={say("codesList")}
        className="grid grid-cols-2 gap-x-4 gap-y-1.5 rounded-lg border border-accent border-dashed bg-accent-soft px-4 py-3"
      >
        {codes.map(code => (
          <li key={code}>
            <code className="select-all text-sm">{code}</code>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text} tone="plain" size="md" label={say("copy")} onCopied={() => setKept(true)} />
        <Button
          icon={<Download size={15} aria-hidden />}
          onClick={() => {
            saveText(FILE, `${say("fileHead", { email })}\n\n${text}\n`);
            setKept(true);
          }}
        >
          {say("download")}
        </Button>
      </div>
      {isAsking && !isKept ? (
        <Banner tone="bad">{say("notKept")}</Banner>
      ) : (
        <p className="text-ink-2 text-sm">{say("keep")}</p>
      )}
    </Dialog>
  );
}
