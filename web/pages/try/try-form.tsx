import { Play, Square } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import type { Answer } from "../../api/client.ts";
import type { trySearch } from "../../app/search.ts";
import { Button } from "../../parts/button.tsx";
import { Field, useField } from "../../parts/field.tsx";
import { NumberInput } from "../../parts/number-input.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { Switch } from "../../parts/switch.tsx";
import { TextArea } from "../../parts/text-area.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { BODY_MAX, bodyOf, DIALECTS, type Dialect, type Draft, EMPTY, jsonProblem } from "./draft.ts";
import type { Asked } from "./use-try.ts";
import { words } from "./words.ts";

type Key = Answer<"GET /keys">["keys"][number];

type Props = {
  keys: readonly Key[];
  keyId: string;
  models: readonly string[];
  /** As typed; those of the key's group are suggested. */
  model: string;
  dialect: Dialect;
  onChoose: (part: ReturnType<typeof trySearch>) => void;
  isRunning: boolean;
  onSend: (asked: Asked) => void;
  onStop: () => void;
};

const MODEL_MAX = 256;
const DIALECT_WORDS = { chat: "chat", responses: "responses", messages: "messages" } as const;

/** A form and the same request as JSON; what is typed there is sent as it is. */
export function TryForm(props: Props) {
  const say = useWords(words);
  const { keyId, model, dialect, isRunning, onSend, onStop } = props;
  const [draft, setDraft] = useState<Draft>(() => ({ ...EMPTY, message: say("hello") }));
  /** Null: as the form makes it. */
  const [typed, setTyped] = useState<string | null>(null);
  const [isAsked, setAsked] = useState(false);
  const made = bodyOf({ draft, dialect, model });
  const body = typed ?? made;
  const isMissing = typed === null && draft.message.trim() === "";
  const problem = jsonProblem(body);
  const send = () => {
    setAsked(true);
    if (!isMissing && problem === null && !isRunning) onSend({ key: keyId, dialect, body });
  };
  const sendByKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className="panel grid grid-cols-[minmax(0,1fr)] gap-3.5 p-4"
      onKeyDown={sendByKey}
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      <Choices {...props} isTyped={typed !== null} />
      <Segmented
        label={say("how")}
        value={typed === null ? "form" : "json"}
        onChange={how => setTyped(how === "form" ? null : made)}
        options={[
          { value: "form", label: say("form") },
          { value: "json", label: say("json") },
        ]}
      />
      {typed === null ? (
        <FormFields
          draft={draft}
          onChange={part => setDraft({ ...draft, ...part })}
          problem={
            isAsked && isMissing
              ? say("messageMissing")
              : problem === "tooLong"
                ? say("tooLong", { most: BODY_MAX })
                : null
          }
        />
      ) : (
        <Field
          label={say("body")}
          hint={say("bodyHint")}
          {...(problem === null ? {} : { error: say(problem, { most: BODY_MAX }) })}
        >
          <TextArea
            mono
            rows={16}
            value={typed}
            onChange={setTyped}
            spellCheck={false}
            autoCapitalize="none"
            autoComplete="off"
          />
        </Field>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {/* Each a button of its own: one that stops must not have become the one that sends when its click ends. */}
        {isRunning ? (
          <Button key="stop" tone="bad" icon={<Square size={14} aria-hidden />} onClick={onStop}>
            {say("stop")}
          </Button>
        ) : (
          <Button
            key="send"
            type="submit"
            tone="primary"
            icon={<Play size={15} aria-hidden />}
            onClick={undefined}
          >
            {say("send")}
          </Button>
        )}
        <span className="text-ink-3 text-xs">{say("charged")}</span>
      </div>
    </form>
  );
}

function Choices({ keys, keyId, models, model, dialect, onChoose, isTyped }: Props & { isTyped: boolean }) {
  const say = useWords(words);
  const listId = useId();
  const isForeign = !isTyped && !models.includes(model);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <Field label={say("key")}>
        <KeySelect keys={keys} keyId={keyId} onChange={key => onChoose({ key })} />
      </Field>
      <Field group label={say("dialect")}>
        <Segmented
          label={say("dialect")}
          value={dialect}
          onChange={next => onChoose({ dialect: next })}
          options={DIALECTS.map(value => ({ value, label: say(DIALECT_WORDS[value]) }))}
        />
      </Field>
      <Field
        label={say("model")}
        {...(isTyped ? { hint: say("modelTyped") } : {})}
        {...(isForeign ? { hint: say(models.length === 0 ? "noModels" : "foreignModel") } : {})}
      >
        <TextInput
          mono
          list={listId}
          value={model}
          onChange={next => onChoose({ model: next })}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={MODEL_MAX}
        />
        <datalist id={listId}>
          {models.map(name => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </Field>
    </div>
  );
}

type KeySelectProps = Pick<Props, "keys" | "keyId"> & { onChange: (key: string) => void };

/** The browser's own list: a page that is opened for a quick try is there at once. */
function KeySelect({ keys, keyId, onChange }: KeySelectProps) {
  const say = useWords(words);
  const field = useField();
  return (
    <select
      {...field}
      value={keyId}
      onChange={event => onChange(event.target.value)}
      className="control phone:text-[16px]"
    >
      {keys.map(({ id, name, group, can_import }) => (
        <option key={id} value={id} disabled={!can_import}>
          {`${name} · ${can_import ? group.name : say("noCopy")}`}
        </option>
      ))}
    </select>
  );
}

type FieldsProps = { draft: Draft; onChange: (part: Partial<Draft>) => void; problem: string | null };

function FormFields({ draft, onChange, problem }: FieldsProps) {
  const say = useWords(words);
  return (
    <>
      <Field label={say("system")} optional>
        <TextArea rows={2} value={draft.system} onChange={system => onChange({ system })} dir="auto" />
      </Field>
      <Field label={say("message")} {...(problem === null ? {} : { error: problem })}>
        <TextArea rows={5} value={draft.message} onChange={message => onChange({ message })} dir="auto" />
      </Field>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={say("maxTokens")} optional>
          <NumberInput
            value={draft.maxTokens}
            onChange={maxTokens => onChange({ maxTokens })}
            placeholder={say("unset")}
          />
        </Field>
        <Field label={say("temperature")} optional>
          <NumberInput
            kind="decimal"
            value={draft.temperature}
            onChange={temperature => onChange({ temperature })}
            placeholder={say("unset")}
          />
        </Field>
      </div>
      <Switch checked={draft.stream} onChange={stream => onChange({ stream })} label={say("stream")} />
    </>
  );
}
