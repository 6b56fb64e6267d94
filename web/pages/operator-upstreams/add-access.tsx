import { useState } from "react";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { PasswordInput } from "../../parts/password-input.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { textLinkClass } from "../../parts/text-link.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { addWords } from "./add-words.ts";
import { presetNote } from "./preset-notes.ts";
import type { Preset } from "./upstream-reads.ts";
import type { Adding } from "./use-adding.ts";

/** The key first: of most providers nothing else has to be said. */
export function AddAccess({ adding }: { adding: Adding }) {
  const say = useWords(addWords);
  const { preset, access, setAccess, wrong, fieldError } = adding;
  const [isElsewhere, setElsewhere] = useState(access.address !== (preset?.base_url ?? ""));
  if (preset === null) return null;
  const error = (path: string, own: keyof typeof wrong) => {
    const word = wrong[own];
    const text = fieldError(path) ?? (word === undefined ? undefined : say(word));
    return text === undefined ? {} : { error: text };
  };
  // A server of one's own is often elsewhere than it usually is.
  const isOwn = preset.needs_base_url || !preset.needs_key;
  const hasAddress = isOwn || isElsewhere || fieldError("base_url") !== undefined;
  const note = presetNote(preset, say.language);
  return (
    <>
      {note === null ? null : <Banner tone="info">{note}</Banner>}
      {hasAddress ? (
        <Field label={say("address")} hint={say("addressHint")} {...error("base_url", "address")}>
          <TextInput
            mono
            inputMode="url"
            value={access.address}
            onChange={address => setAccess({ ...access, address })}
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
      ) : null}
      <Field
        label={say("key")}
        optional={!preset.needs_key}
        hint={<KeyHint preset={preset} />}
        {...error("api_key", "key")}
      >
        <PasswordInput
          mono
          {...(hasAddress ? {} : { "data-first": true })}
          value={access.key}
          onChange={key => setAccess({ ...access, key })}
          autoComplete="off"
          words={{ show: say("showKey"), hide: say("hideKey") }}
        />
      </Field>
      <Field label={say("name")} hint={say("nameHint")} {...error("name", "name")}>
        <TextInput
          value={access.name}
          onChange={name => setAccess({ ...access, name })}
          autoComplete="off"
          maxLength={100}
        />
      </Field>
      {hasAddress ? null : (
        <div>
          <Button size="sm" tone="ghost" onClick={() => setElsewhere(true)}>
            {say("otherAddress")}
          </Button>
        </div>
      )}
      <p aria-live="polite" className="text-ink-2 empty:hidden">
        {adding.isLooking ? say("looking", { name: preset.name }) : null}
      </p>
      {adding.mayGoOn ? (
        <div>
          <Button size="sm" onClick={adding.goByHand}>
            {say("byHand")}
          </Button>
        </div>
      ) : null}
    </>
  );
}

function KeyHint({ preset }: { preset: Preset }) {
  const say = useWords(addWords);
  if (preset.keys_url === null) return say("keyHint");
  return (
    <>
      {say.rich("keyWhere", {
        link: (
          <a key="link" href={preset.keys_url} target="_blank" rel="noreferrer" className={textLinkClass}>
            {new URL(preset.keys_url).host}
          </a>
        ),
      })}
      {". "}
      {say("keyHint")}
    </>
  );
}
