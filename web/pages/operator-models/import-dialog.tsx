import { useRef, useState } from "react";
import type { Answer } from "../../api/client.ts";
import { useCall } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { RadioCards } from "../../parts/radio-cards.tsx";
import { TextArea } from "../../parts/text-area.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { ImportDifference } from "./import-difference.tsx";
import { importWords } from "./import-words.ts";
import { useSentence } from "./sentences.ts";

export type Compared = Answer<"POST /operator/prices/compare">;
type Source = "shipped" | "own";

const CHARACTERS_MAX = 3_000_000;
const EXAMPLE = "models:\n  - name: gpt-5\n    price:\n      input: 1.25\n      output: 10";

/** First where from, then what would change; only what is confirmed is taken over. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [compared, setCompared] = useState<Compared | null>(null);
  const [given, setGiven] = useState<{ source: Source; text: string }>({ source: "shipped", text: "" });
  return compared === null ? (
    <SourceStep given={given} onGiven={setGiven} onCompared={setCompared} onClose={onClose} />
  ) : (
    <ImportDifference compared={compared} onBack={() => setCompared(null)} onClose={onClose} />
  );
}

type StepProps = {
  given: { source: Source; text: string };
  onGiven: (given: { source: Source; text: string }) => void;
  onCompared: (compared: Compared) => void;
  onClose: () => void;
};

function SourceStep({ given, onGiven, onCompared, onClose }: StepProps) {
  const say = useWords(importWords);
  const tell = useSentence();
  const [isAsked, setAsked] = useState(false);
  const [isTooLarge, setTooLarge] = useState(false);
  const { source, text } = given;
  const compare = useCall("POST /operator/prices/compare", { onDone: onCompared });
  const isMissing = source === "own" && text.trim() === "";
  const submit = () => {
    setAsked(true);
    if (!isMissing) compare.mutate({ body: source === "own" ? { catalogue: text } : {} });
  };
  const take = async (file: File) => {
    const read = file.size > CHARACTERS_MAX ? null : await file.text();
    setTooLarge(read === null);
    if (read !== null) onGiven({ source: "own", text: read });
  };
  const error = isTooLarge ? say("fileTooLarge") : isAsked && isMissing ? say("ownMissing") : null;
  return (
    <FormDialog
      open
      size="lg"
      onClose={onClose}
      onSubmit={submit}
      title={say("title")}
      description={say("text")}
      action={say("compare")}
      busy={compare.isPending}
      {...(compare.error === null ? {} : { error: tell(compare.error) })}
    >
      <Field group label={say("source")}>
        <RadioCards
          value={source}
          onChange={next => onGiven({ source: next, text })}
          columns={2}
          cards={[
            { value: "shipped", title: say("shipped"), detail: say("shippedText") },
            { value: "own", title: say("own"), detail: say("ownText") },
          ]}
        />
      </Field>
      {source === "shipped" ? null : (
        <>
          <FileChoice onChoose={file => void take(file)} />
          <Field label={say("paste")} hint={say("pasteHint")} {...(error === null ? {} : { error })}>
            <TextArea
              mono
              rows={9}
              value={text}
              placeholder={EXAMPLE}
              spellCheck={false}
              onChange={next => onGiven({ source, text: next })}
            />
          </Field>
        </>
      )}
    </FormDialog>
  );
}

/** The browser's own input has words in the browser's language; this one has ours. */
function FileChoice({ onChoose }: { onChoose: (file: File) => void }) {
  const say = useWords(importWords);
  const input = useRef<HTMLInputElement>(null);
  const [name, setName] = useState<string | null>(null);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        ref={input}
        type="file"
        hidden
        accept=".json,.yaml,.yml,.txt,application/json,text/yaml"
        aria-label={say("file")}
        onChange={event => {
          const file = event.target.files?.[0];
          if (file === undefined) return;
          setName(file.name);
          onChoose(file);
          event.target.value = "";
        }}
      />
      <Button onClick={() => input.current?.click()}>{say("file")}</Button>
      {name === null ? null : <Banner tone="quiet">{name}</Banner>}
    </div>
  );
}
