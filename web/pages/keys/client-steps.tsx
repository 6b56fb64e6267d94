import { useState } from "react";
import { keep, kept } from "../../browser/kept.ts";
import { guessSystem } from "../../browser/system.ts";
import { Banner } from "../../parts/banner.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CodeValue } from "../../parts/code-value.tsx";
import { Combobox } from "../../parts/combobox.tsx";
import { Field } from "../../parts/field.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Client } from "./client-choice.tsx";
import { FilledFields, isForm } from "./filled-fields.tsx";
import { filledWith } from "./placeholder.ts";
import { useWordsOfUse } from "./use-words.ts";

type Props = {
  client: Client;
  models: readonly string[];
  model: string | null;
  onModel: (model: string | null) => void;
  /** Null: nobody knows it any more. */
  string: string | null;
  onCopied: () => void;
};

const SHELLS = ["bash", "powershell", "cmd"] as const;
type Shell = (typeof SHELLS)[number];
const KEPT_SHELL = "shell";

function firstShell(): Shell {
  const found = SHELLS.find(shell => shell === kept(KEPT_SHELL));
  return found ?? (guessSystem() === "windows" ? "powershell" : "bash");
}

/** What has to be done in one client, in order. */
export function ClientSteps({ client, models, model, onModel, string, onCopied }: Props) {
  const say = useWords(useWordsOfUse);
  const [shell, setShell] = useState<Shell>(firstShell);
  const shells = SHELLS.filter(one => client.pieces.some(piece => piece.shell === one));
  const spoken = shells.includes(shell) ? shell : shells[0];
  const pieces = client.pieces.filter(piece => piece.shell === null || piece.shell === spoken);
  const choose = (next: Shell) => {
    keep(KEPT_SHELL, next);
    setShell(next);
  };
  return (
    <>
      <div className="grid gap-x-4 gap-y-3 sm:grid-cols-[minmax(0,1fr)_auto] sm:items-end">
        <Field label={say("model")}>
          <Combobox
            mono
            value={model}
            onChange={onModel}
            clearable={false}
            options={models.map(name => ({ value: name, label: name }))}
          />
        </Field>
        {spoken !== undefined ? (
          <Segmented
            label={say("shell")}
            value={spoken}
            onChange={choose}
            options={shells.map(value => ({ value, label: say(value) }))}
          />
        ) : null}
      </div>
      <p className="flex flex-wrap items-center gap-x-2 text-ink-2 text-sm">
        {say("address", { client: client.name })}
        <CodeValue value={client.base_url} />
      </p>
      {client.warnings.length === 0 ? null : (
        <Banner tone="warn" title={say("warnings")}>
          <Sentences texts={client.warnings} />
        </Banner>
      )}
      <ol className="grid gap-4">
        {pieces.map(piece => (
          <li key={`${piece.title} ${piece.file ?? ""}`} className="grid min-w-0 gap-1.5">
            <h3 className="font-medium">{piece.title}</h3>
            {isForm(piece) ? (
              <FilledFields text={filledWith(piece.text, string)} onCopied={onCopied} />
            ) : (
              <CodeBlock
                code={filledWith(piece.text, string)}
                language={piece.language}
                file={piece.file}
                onCopied={onCopied}
              />
            )}
          </li>
        ))}
      </ol>
      {client.notes.length === 0 ? null : (
        <Banner tone="quiet" title={say("notes")}>
          <Sentences texts={client.notes} />
        </Banner>
      )}
    </>
  );
}

function Sentences({ texts }: { texts: readonly string[] }) {
  if (texts.length === 1) return <p>{texts[0]}</p>;
  return (
    <ul className="grid list-disc gap-1 pl-4">
      {texts.map(text => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
