import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useCall } from "../../api/query.ts";
import { Checkbox } from "../../parts/checkbox.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { EVENTS, type Event, eventWords } from "./event-words.ts";
import { useSentence } from "./sentences.ts";
import { WEBHOOK_PARTS, type Webhook } from "./webhook.ts";
import { words } from "./words.ts";

type Draft = { name: string; url: string; events: readonly Event[] };

const NAME_MAX = 100;
const URL_MAX = 2048;

type MakeProps = { onMade: (name: string, secret: string) => void; onClose: () => void };

export function MakeDialog({ onMade, onClose }: MakeProps) {
  const say = useWords(words);
  const make = useCall("POST /operator/webhooks", {
    refresh: WEBHOOK_PARTS,
    onDone: ({ webhook, secret }) => onMade(webhook.name, secret),
  });
  return (
    <WebhookForm
      title={say("makeTitle")}
      description={say("makeText")}
      action={say("make")}
      initial={{ name: "", url: "", events: EVENTS }}
      onSave={({ name, url, events }) => make.mutate({ body: { name, url, events: [...events] } })}
      busy={make.isPending}
      error={make.error}
      onClose={onClose}
    />
  );
}

export function EditDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const say = useWords(words);
  const save = useCall("PATCH /operator/webhooks/{id}", {
    refresh: WEBHOOK_PARTS,
    onDone: ({ name }) => {
      toast(say("saved", { name }));
      onClose();
    },
  });
  return (
    <WebhookForm
      title={say("editTitle", { name: webhook.name })}
      action={say("save")}
      initial={{ name: webhook.name, url: webhook.url, events: webhook.events }}
      onSave={({ name, url, events }) =>
        save.mutate({ params: { id: webhook.id }, body: { name, url, events: [...events] } })
      }
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
    />
  );
}

type FormProps = {
  title: string;
  description?: string;
  action: string;
  initial: Draft;
  onSave: (draft: Draft) => void;
  busy: boolean;
  error: Error | null;
  onClose: () => void;
};

function WebhookForm({ initial, onSave, error, ...props }: FormProps) {
  const say = useWords(words);
  const { tell, tellProblem } = useSentence();
  const [draft, setDraft] = useState(initial);
  const [isAsked, setAsked] = useState(false);
  const [name, url] = [draft.name.trim(), draft.url.trim()];
  const own = {
    name: name === "" ? say("nameMissing") : null,
    url: /^https?:\/\/./i.test(url) ? null : say("urlMissing"),
    events: draft.events.length === 0 ? say("eventsMissing") : null,
  };
  const problem = (field: keyof typeof own) => {
    const given = error instanceof ApiError ? error.field(field) : undefined;
    const told =
      isAsked && own[field] !== null ? own[field] : given === undefined ? null : tellProblem(given);
    return told === null ? {} : { error: told };
  };
  const isAtField = error instanceof ApiError && error.fields.some(({ path }) => path in own);
  return (
    <FormDialog
      open
      onClose={props.onClose}
      title={props.title}
      {...(props.description === undefined ? {} : { description: props.description })}
      action={props.action}
      busy={props.busy}
      onSubmit={() => {
        setAsked(true);
        if (own.name === null && own.url === null && own.events === null) onSave({ ...draft, name, url });
      }}
      {...(error === null || isAtField ? {} : { error: tell(error) })}
    >
      <Field label={say("name")} hint={say("nameHint")} {...problem("name")}>
        <TextInput
          dir="auto"
          value={draft.name}
          onChange={text => setDraft({ ...draft, name: text })}
          maxLength={NAME_MAX}
          autoComplete="off"
        />
      </Field>
      <Field label={say("url")} hint={say("urlHint")} {...problem("url")}>
        <TextInput
          mono
          inputMode="url"
          value={draft.url}
          onChange={text => setDraft({ ...draft, url: text })}
          maxLength={URL_MAX}
          autoComplete="off"
          spellCheck={false}
        />
      </Field>
      <Field group label={say("events")} {...problem("events")}>
        <EventBoxes chosen={draft.events} onChange={events => setDraft({ ...draft, events })} />
      </Field>
    </FormDialog>
  );
}

type BoxesProps = { chosen: readonly Event[]; onChange: (events: readonly Event[]) => void };

function EventBoxes({ chosen, onChange }: BoxesProps) {
  const say = useWords(words);
  const tell = useWords(eventWords);
  return (
    <fieldset className="grid gap-2.5 rounded-lg border border-line px-3.5 py-3">
      <legend className="sr-only">{say("events")}</legend>
      {EVENTS.map(event => (
        <Checkbox
          key={event}
          checked={chosen.includes(event)}
          onChange={isOn => onChange(EVENTS.filter(one => (one === event ? isOn : chosen.includes(one))))}
          label={tell(event)}
          hint={tell(`${event}Text`)}
        />
      ))}
    </fieldset>
  );
}
