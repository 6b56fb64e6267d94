import { CircleCheck } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { useHouse } from "../../api/house.ts";
import { useApi } from "../../api/query.ts";
import { useSession } from "../../api/session.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { PasswordInput } from "../../parts/password-input.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { baseUrlFault, faultText } from "./base-url.ts";
import { baseUrlWords } from "./base-url-words.ts";
import { keyShape } from "./key-shape.ts";
import { words } from "./words.ts";

export type Style = "openai" | "messages";
export type Settings = { base_url: string; key: string; model: string; style: Style };

type Props = {
  settings: Settings;
  onChange: (part: Partial<Settings>) => void;
  onSubmit: () => void;
  isBusy: boolean;
  hasResult: boolean;
};

/** What a client has, checked here while it is typed; only the button sends it. */
export function CheckForm({ settings, onChange, onSubmit, isBusy, hasResult }: Props) {
  const say = useWords(words);
  return (
    <form
      className="panel grid gap-4 p-4 md:px-[18px]"
      noValidate
      autoComplete="off"
      onSubmit={event => {
        event.preventDefault();
        if (!isBusy) onSubmit();
      }}
    >
      <Segmented
        label={say("style")}
        value={settings.style}
        onChange={style => onChange({ style })}
        options={(["openai", "messages"] as const).map(value => ({ value, label: say(value) }))}
      />
      <div className="grid gap-4 md:grid-cols-2">
        <BaseUrlField settings={settings} onChange={onChange} />
        <ModelField value={settings.model} onChange={model => onChange({ model })} />
      </div>
      <KeyField value={settings.key} onChange={key => onChange({ key })} />
      <div className="flex justify-end phone:*:flex-1">
        <Button type="submit" tone="primary" busy={isBusy}>
          {say(isBusy ? "checking" : hasResult ? "checkAgain" : "check")}
        </Button>
      </div>
    </form>
  );
}

function BaseUrlField({ settings, onChange }: Pick<Props, "settings" | "onChange">) {
  const say = useWords(words);
  const sayFault = useWords(baseUrlWords);
  const { data: house } = useHouse();
  const [isDone, setDone] = useState(false);
  const { base_url: typed, style } = settings;
  const right = style === "openai" ? house?.openai_base_url : house?.messages_address;
  const fault = typed.trim() === "" || right === undefined ? null : baseUrlFault(typed, right);
  const isGrowing = !isDone && right !== undefined && right.startsWith(typed.trim());
  const isRight = fault === null && typed.trim() !== "" && right !== undefined;
  const isWrong = fault !== null && !isGrowing;
  return (
    <div className="grid content-start gap-1.5">
      <Field
        label={say("baseUrl")}
        {...(isWrong ? { error: faultText(fault, sayFault) } : {})}
        hint={isRight ? <Good>{sayFault("right")}</Good> : undefined}
      >
        <TextInput
          mono
          value={typed}
          onChange={base_url => onChange({ base_url })}
          onBlur={() => setDone(true)}
          onFocus={() => setDone(false)}
          inputMode="url"
          autoCapitalize="none"
          autoCorrect="off"
          autoComplete="off"
          spellCheck={false}
          maxLength={2048}
          placeholder={right}
        />
      </Field>
      {isWrong && right !== undefined ? (
        <Button size="sm" className="justify-self-start" onClick={() => onChange({ base_url: right })}>
          {say("useThis", { value: right })}
        </Button>
      ) : null}
    </div>
  );
}

function Good({ children }: { children: ReactNode }) {
  return (
    <span className="flex items-center gap-1 text-ok">
      <CircleCheck size={13} aria-hidden />
      {children}
    </span>
  );
}

function KeyField({ value, onChange }: { value: string; onChange: (key: string) => void }) {
  const say = useWords(words);
  const [isDone, setDone] = useState(false);
  const shape = keyShape(value, { say, isDone });
  return (
    <Field
      label={say("key")}
      {...(shape.tone === "bad" ? { error: shape.text } : {})}
      hint={
        shape.tone === "bad" ? undefined : shape.tone === "ok" ? (
          <Good>{shape.text}</Good>
        ) : (
          <span className="tabular-nums">{shape.text}</span>
        )
      }
    >
      <PasswordInput
        words={{ show: say("showKey"), hide: say("hideKey") }}
        mono
        value={value}
        onChange={onChange}
        onBlur={() => setDone(true)}
        onFocus={() => setDone(false)}
        autoComplete="off"
        maxLength={4096}
        placeholder="wgk_…"
      />
    </Field>
  );
}

function ModelField({ value, onChange }: { value: string; onChange: (model: string) => void }) {
  const say = useWords(words);
  const id = useId();
  const { data: session } = useSession();
  return (
    <Field label={say("model")} optional hint={say("modelHint")}>
      <TextInput
        mono
        list={id}
        value={value}
        onChange={onChange}
        autoCapitalize="none"
        autoCorrect="off"
        autoComplete="off"
        spellCheck={false}
        maxLength={256}
      />
      {session === null || session === undefined ? null : <KnownModels id={id} />}
    </Field>
  );
}

/** Offered to whoever is signed in. */
function KnownModels({ id }: { id: string }) {
  const { data } = useApi("GET /models");
  return (
    <datalist id={id}>
      {data?.models.map(({ name }) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}
