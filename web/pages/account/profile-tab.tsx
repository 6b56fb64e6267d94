import { type Session, useSession } from "../../api/session.ts";
import { useTastes } from "../../app/tastes.ts";
import { keptTheme } from "../../browser/theme.ts";
import { Button } from "../../parts/button.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { Field } from "../../parts/field.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { toast } from "../../parts/toast-store.ts";
import { useTyped } from "../../parts/use-typed.ts";
import { LANGUAGES } from "../../words/language.ts";
import { useLanguage, useWords } from "../../words/language-provider.tsx";
import type { Account } from "./account.ts";
import { profileWords } from "./profile-words.ts";
import { useSentence } from "./server-sentences.ts";
import { useAccountChange } from "./use-account-change.ts";

const NAME_MAX = 100;

export function ProfileTab({ account }: { account: Account }) {
  const session = useSession().data;
  return (
    <div className="grid max-w-3xl gap-3.5">
      <ProfileForm account={account} />
      {session ? <Tastes session={session} /> : null}
    </div>
  );
}

function ProfileForm({ account }: { account: Account }) {
  const say = useWords(profileWords);
  const tell = useSentence();
  const { value: name, type, saved } = useTyped(account.name);
  const save = useAccountChange(() => toast(say("saved")));
  const isLong = [...name.trim()].length > NAME_MAX;
  const error = isLong
    ? say("tooLong", { most: NAME_MAX })
    : save.error === null
      ? undefined
      : tell(save.error);
  return (
    <Panel title={say("profile")}>
      <form
        noValidate
        className="grid gap-4"
        onSubmit={event => {
          event.preventDefault();
          if (isLong || save.isPending) return;
          save.mutate({ body: { name: name.trim() } }, { onSuccess: () => saved(name) });
        }}
      >
        <Field
          label={say("name")}
          hint={say("nameHint")}
          optional
          {...(error === undefined ? {} : { error })}
        >
          <TextInput
            dir="auto"
            value={name}
            autoComplete="name"
            onChange={next => {
              type(next);
              if (save.error !== null) save.reset();
            }}
          />
        </Field>
        <Field label={say("email")} hint={say("emailHint")}>
          <TextInput value={account.email} readOnly className="bg-sunken!" />
        </Field>
        <dl className="flex flex-wrap gap-x-10 gap-y-2">
          <div>
            <dt className="text-ink-3 text-xs">{say("role")}</dt>
            <dd>{say(account.role)}</dd>
          </div>
          <div>
            <dt className="text-ink-3 text-xs">{say("since")}</dt>
            <dd>
              <ExactTime at={account.created_at} form="date" />
            </dd>
          </div>
        </dl>
        <div>
          <Button
            type="submit"
            tone="primary"
            busy={save.isPending}
            disabled={isLong || name.trim() === account.name}
          >
            {say("save")}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

const THEMES = [
  { value: "system", word: "themeSystem" },
  { value: "light", word: "themeLight" },
  { value: "dark", word: "themeDark" },
] as const;

function Tastes({ session }: { session: Session }) {
  const say = useWords(profileWords);
  const { language } = useLanguage();
  const { setLanguage, setTheme } = useTastes(session);
  return (
    <Panel title={say("look")} description={say("lookText")}>
      <div className="grid gap-3">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <span className="font-medium">{say("language")}</span>
          <Segmented
            label={say("language")}
            value={language}
            onChange={setLanguage}
            options={LANGUAGES.map(({ id, name }) => ({ value: id, label: name }))}
          />
        </div>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <span className="font-medium">{say("theme")}</span>
          <Segmented
            label={say("theme")}
            value={keptTheme()}
            onChange={setTheme}
            options={THEMES.map(({ value, word }) => ({ value, label: say(word) }))}
          />
        </div>
      </div>
    </Panel>
  );
}
