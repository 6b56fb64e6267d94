import { Download } from "lucide-react";
import { useCall } from "../../api/query.ts";
import { formatMoney } from "../../format/money.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { saveText } from "../../parts/save-text.ts";
import { ScrollRegion } from "../../parts/scroll-region.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { useSentence } from "../operator-accounts/sentences.ts";
import type { Code } from "./code-list.tsx";
import { codesCsv, type MadeCodes } from "./codes-csv.ts";
import { MakeDialog } from "./make-dialog.tsx";
import { words } from "./words.ts";

export type Open = { what: "make" } | { what: "made"; made: MadeCodes } | { what: "revoke"; code: Code };

type Props = { open: Open; onOpen: (open: Open) => void; onClose: () => void };

export function OpenDialog({ open, onOpen, onClose }: Props) {
  switch (open.what) {
    case "make":
      return <MakeDialog onMade={made => onOpen({ what: "made", made })} onClose={onClose} />;
    case "made":
      return <MadeDialog made={open.made} onClose={onClose} />;
    case "revoke":
      return <RevokeDialog code={open.code} onClose={onClose} />;
  }
}

/** The codes, this one time; only its own buttons close it. */
function MadeDialog({ made, onClose }: { made: MadeCodes; onClose: () => void }) {
  const say = useWords(words);
  const text = made.codes.map(({ code }) => code).join("\n");
  return (
    <Dialog
      open
      sticky
      onClose={onClose}
      title={say("madeTitle")}
      description={say("madeText", {
        count: made.codes.length,
        amount: formatMoney(made.amountUsd, say.language, 2),
      })}
      footer={
        <>
          <Button
            icon={<Download size={15} aria-hidden />}
            onClick={() => saveText("codes.csv", codesCsv(made), "text/csv")}
          >
            {say("download")}
          </Button>
          <CopyButton text={text} label={say("copyAll")} tone="primary" size="md" />
          <Button onClick={onClose}>{say("done")}</Button>
        </>
      }
    >
      <ScrollRegion
        label={say("codes")}
        className="max-h-72 rounded-lg border border-accent border-dashed bg-accent-soft px-3.5 py-3"
      >
        <pre className="select-all text-[13px] leading-[1.7]">{text}</pre>
      </ScrollRegion>
      <Banner tone="quiet">{say("madeOnce")}</Banner>
    </Dialog>
  );
}

function RevokeDialog({ code, onClose }: { code: Code; onClose: () => void }) {
  const say = useWords(words);
  const tell = useSentence();
  const revoke = useCall("DELETE /operator/codes/{id}", {
    refresh: ["GET /operator/codes"],
    onDone: () => {
      toast(say("revoked", { code: code.preview }));
      onClose();
    },
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={() => revoke.mutate({ params: { id: code.id } })}
      title={say("revokeTitle", { code: code.preview })}
      action={say("revoke")}
      busy={revoke.isPending}
      {...(revoke.error === null ? {} : { error: tell(revoke.error) })}
    >
      <p>{say("revokeText", { amount: formatMoney(code.amount_usd, say.language, 2) })}</p>
    </ConfirmDialog>
  );
}
