import type { ReactNode } from "react";
import { ApiError } from "../../api/api-error.ts";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { useFieldSentence, useSentence } from "./sentences.ts";
import { isLocked, named, type Setting } from "./setting.ts";
import { SettingField } from "./setting-field.tsx";
import { type Drafting, problemOf, useSaving } from "./use-settings.ts";
import { words } from "./words.ts";

type Props = {
  title: string;
  description: ReactNode;
  names: readonly string[];
  settings: readonly Setting[];
  drafting: Drafting;
  /** Beside the button that saves. */
  actions?: (isChanged: boolean) => ReactNode;
  /** Asked before it is saved; true where somebody else saves it. */
  before?: () => boolean;
  /** Before the fields. */
  lead?: ReactNode;
  /** After them. */
  children?: ReactNode;
};

/** Some settings that are saved together: all of them, or none where one is wrong. */
export function Section({ title, description, names, settings, drafting, ...props }: Props) {
  const say = useWords(words);
  const tell = useSentence();
  const tellField = useFieldSentence();
  const { save, isChanged, send, discard } = useSaving(names, drafting);
  const own = named(settings, names);
  const { error } = save;
  const isAtFields = error instanceof ApiError && names.some(name => problemOf(error, name) !== undefined);
  const isAsked = error instanceof ApiError && error.code === "recent_sign_in_needed";
  return (
    <Panel title={title} description={description}>
      <form
        noValidate
        className="grid grid-cols-[minmax(0,1fr)] gap-5 pt-1"
        onSubmit={event => {
          event.preventDefault();
          if (save.isPending || !isChanged || props.before?.() === true) return;
          send();
        }}
      >
        {props.lead}
        {own.map(setting => {
          const problem = problemOf(error, setting.name);
          return (
            <SettingField
              key={setting.name}
              setting={setting}
              draft={drafting.draft}
              onChange={value => {
                drafting.change(setting, value);
                if (error !== null) save.reset();
              }}
              {...(problem === undefined ? {} : { error: tellField(problem) })}
            />
          );
        })}
        {props.children}
        {error === null || isAtFields || isAsked ? null : <Banner tone="bad">{tell(error)}</Banner>}
        {own.every(isLocked) && props.actions === undefined ? null : (
          <div className="flex flex-wrap items-center gap-2">
            {own.every(isLocked) ? null : (
              <Button type="submit" tone="primary" busy={save.isPending} disabled={!isChanged}>
                {say("save")}
              </Button>
            )}
            {isChanged ? (
              <Button tone="ghost" onClick={discard}>
                {say("discard")}
              </Button>
            ) : null}
            {props.actions?.(isChanged)}
          </div>
        )}
      </form>
    </Panel>
  );
}
