import { Download, KeyRound } from "lucide-react";
import { useHouse } from "../../api/house.ts";
import { formatTime } from "../../format/time.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { copyText } from "../../parts/copy-text.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { saveText } from "../../parts/save-text.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Say } from "../../words/say.ts";
import { envFile, envFileName } from "./env-file.ts";
import type { Fresh } from "./fresh.ts";
import { onceWords } from "./once-words.ts";

type Props = {
  fresh: Fresh;
  /** Somebody wants to leave without having copied it. */
  isAsking: boolean;
  onAsk: (isAsking: boolean) => void;
  onKept: () => void;
  onDone: () => void;
  /** To the set-up of a client, or to import. */
  onUse: (client: string | null) => void;
  onImport: () => void;
};

export function OnceDialog({ fresh, isAsking, onAsk, onKept, onDone, onUse, onImport }: Props) {
  const say = useWords(onceWords);
  const close = () => (fresh.isKept ? onDone() : onAsk(true));
  const copyAndClose = async () => {
    if (await copyText(fresh.string)) onDone();
    else onAsk(false);
  };
  return (
    <Dialog
      open
      sticky
      onClose={close}
      title={say(fresh.isRotated ? "rotatedTitle" : "title")}
      description={descriptionOf(fresh, say)}
      footer={
        isAsking ? (
          <>
            <Button tone="bad" onClick={onDone}>
              {say("closeAnyway")}
            </Button>
            <Button tone="primary" onClick={() => void copyAndClose()}>
              {say("copyAndClose")}
            </Button>
          </>
        ) : (
          <Button tone={fresh.isKept ? "primary" : "plain"} onClick={close}>
            {say("done")}
          </Button>
        )
      }
    >
      <TheString fresh={fresh} onKept={onKept} />
      {isAsking ? (
        <Banner tone="bad" title={say("notCopied")}>
          {say("notCopiedText")}
        </Banner>
      ) : (
        <>
          <Banner tone="quiet" title={say("keepTitle")}>
            <p>{say("keep")}</p>
            <p>{say("leaked")}</p>
          </Banner>
          <section className="grid gap-2" aria-label={say("next")}>
            <h3 className="font-medium">{say("next")}</h3>
            <div className="flex flex-wrap gap-2">
              <Button onClick={() => onUse("claude-code")}>{say("useIn")}</Button>
              <Button onClick={onImport}>{say("importInto")}</Button>
              <Button tone="ghost" onClick={() => onUse(null)}>
                {say("others")}
              </Button>
            </div>
          </section>
        </>
      )}
    </Dialog>
  );
}

function descriptionOf({ key, isRotated }: Fresh, say: Say<(typeof onceWords)["en"]>): string {
  const { name, old_string_until: until } = key;
  if (!isRotated) return say("text");
  if (until === null) return say("rotatedNow", { name });
  return say("rotatedUntil", { name, when: formatTime(until, say.language) });
}

function TheString({ fresh, onKept }: Pick<Props, "fresh" | "onKept">) {
  const say = useWords(onceWords);
  const house = useHouse();
  const { key, string } = fresh;
  const download = () => {
    if (house.data === undefined) return;
    const { openai_base_url: openaiUrl, messages_address: messagesUrl } = house.data;
    const comment = say("envComment", { name: key.name });
    saveText(envFileName(key.name), envFile({ comment, string, openaiUrl, messagesUrl }));
    onKept();
  };
  return (
    <div className="grid gap-2">
      <div className="flex items-center gap-3 rounded-lg border border-accent border-dashed bg-accent-soft py-3 pr-3 pl-3.5 phone:flex-col phone:items-stretch">
        <KeyRound size={18} className="shrink-0 text-accent phone:hidden" aria-hidden />
        <span className="sr-only">{say("string")}</span>
        <code className="min-w-0 flex-1 select-all break-all text-sm">{string}</code>
        <CopyButton text={string} tone="primary" size="md" label={say("copy")} onCopied={onKept} />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span dir="auto" className="min-w-0 truncate text-ink-3 text-sm">
          {key.name}
        </span>
        <Button
          size="sm"
          tone="ghost"
          icon={<Download size={15} aria-hidden />}
          onClick={download}
          disabled={house.data === undefined}
        >
          {say("download")}
        </Button>
      </div>
    </div>
  );
}
