import { useMemo, useState } from "react";
import { useCall } from "../../api/query.ts";
import { Banner } from "../../parts/banner.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { TextArea } from "../../parts/text-area.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { changeWords } from "./change-words.ts";
import { FoundModels } from "./found-models.tsx";
import { linesOf, pairsOf, twiceIn } from "./model-lines.ts";
import { useFieldError, useSentence } from "./sentences.ts";
import { UPSTREAM_READS, type Upstream } from "./upstream-reads.ts";

const ROWS_MAX = 16;
const NAMES_MAX = 8;

export function ModelsDialog({ one, onClose }: { one: Upstream; onClose: () => void }) {
  const say = useWords(changeWords);
  const tell = useSentence();
  const [text, setText] = useState(() => linesOf(one.models));
  const pairs = useMemo(() => pairsOf(text), [text]);
  const twice = twiceIn(pairs);
  const save = useCall("PATCH /operator/upstreams/{id}", {
    refresh: UPSTREAM_READS,
    onDone: ({ name }) => {
      toast(say("saved", { name }));
      onClose();
    },
  });
  const fieldError = useFieldError(save.error);
  const error = twice === null ? fieldError("models") : say("modelsTwice", { model: twice });
  const there = new Set(pairs.map(({ model }) => model));
  const had = new Set(one.models.map(({ model }) => model));
  const gone = one.models.map(({ model }) => model).filter(model => !there.has(model));
  const isNew = pairs.some(({ model }) => !had.has(model));
  const isSame = linesOf(pairs) === linesOf(one.models);
  return (
    <FormDialog
      open
      size="lg"
      onClose={onClose}
      onSubmit={() => save.mutate({ params: { id: one.id }, body: { models: pairs } })}
      title={say("modelsTitle", { name: one.name })}
      action={say("save")}
      disabled={isSame || twice !== null}
      busy={save.isPending}
      {...(save.error === null || fieldError("models") !== undefined ? {} : { error: tell(save.error) })}
    >
      <Field
        label={say("modelsLabel")}
        hint={`${say("modelsText")} ${say("modelsCount", { count: pairs.length })}`}
        {...(error === undefined ? {} : { error })}
      >
        <TextArea
          mono
          value={text}
          onChange={setText}
          rows={Math.min(ROWS_MAX, Math.max(5, one.models.length + 2))}
          spellCheck={false}
          autoComplete="off"
        />
      </Field>
      <FoundModels
        one={one}
        pairs={pairs}
        onAdd={names => setText([text.trimEnd(), ...names].filter(line => line !== "").join("\n"))}
      />
      {gone.length === 0 ? null : (
        <Banner tone="warn">
          {say("modelsGone", { count: gone.length, names: gone.slice(0, NAMES_MAX).join(", ") })}
        </Banner>
      )}
      {isNew ? <p className="text-ink-2 text-sm">{say("modelsNew")}</p> : null}
    </FormDialog>
  );
}
