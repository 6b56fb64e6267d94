import { useState } from "react";
import { diagnoseKeyString, previewKeyString } from "../../../src/domain/key-string.ts";
import { Banner } from "../../parts/banner.tsx";
import { Field } from "../../parts/field.tsx";
import { PasswordInput } from "../../parts/password-input.tsx";
import { keyProblemZh } from "../../refusals/key-problem-words.ts";
import { useWords } from "../../words/language-provider.tsx";
import type { Say } from "../../words/say.ts";
import { Disclosure } from "./disclosure.tsx";
import type { Key } from "./draft.ts";
import type { Fresh } from "./fresh.ts";
import { PLACEHOLDER } from "./placeholder.ts";
import { useWordsOfUse } from "./use-words.ts";

type Props = {
  keyView: Key;
  fresh: Fresh | null;
  pasted: string | null;
  onPasted: (string: string | null) => void;
};

/** Where the string in the texts comes from: just made, pasted here, or nowhere yet. */
export function KeyString({ keyView, fresh, pasted, onPasted }: Props) {
  const say = useWords(useWordsOfUse);
  const [typed, setTyped] = useState("");
  const [open, setOpen] = useState(false);
  if (fresh !== null) return <Banner tone="ok">{say("filledIn")}</Banner>;
  const problem = typed === "" ? undefined : pasteProblem(typed, keyView.preview, say);
  return (
    <div className="rounded-md bg-sunken px-3 py-2.5 text-ink-2">
      <p>{say.rich("notStored", { placeholder: <code key="placeholder">{PLACEHOLDER}</code> })}</p>
      <Disclosure look="plain" title={say("paste")} open={open || pasted !== null} onToggle={setOpen}>
        <Field
          label={<span className="sr-only">{say("paste")}</span>}
          hint={say("pasteHint")}
          error={problem}
        >
          <PasswordInput
            mono
            value={typed}
            autoComplete="off"
            placeholder={keyView.preview}
            onChange={text => {
              setTyped(text);
              const isOurs = text !== "" && pasteProblem(text, keyView.preview, say) === undefined;
              onPasted(isOurs ? text.trim() : null);
            }}
          />
        </Field>
      </Disclosure>
    </div>
  );
}

function pasteProblem(
  text: string,
  preview: string,
  say: Say<(typeof useWordsOfUse)["en"]>,
): string | undefined {
  const found = diagnoseKeyString(text);
  switch (found.kind) {
    case "generated":
    case "custom":
      return previewKeyString(found.key) === preview ? undefined : say("pasteOther", { preview });
    case "provider":
      return say("pasteProvider", { provider: found.provider });
    case "malformed": {
      const zh = say.language === "zh" ? keyProblemZh(found.problem) : null;
      return say("pasteBad", { problem: zh ?? found.problem });
    }
    case "missing":
      return undefined;
  }
}
