import { Field } from "../parts/field.tsx";
import { PasswordInput } from "../parts/password-input.tsx";
import { defineWords } from "../words/define-words.ts";
import { useWords } from "../words/language-provider.tsx";

/** As the server asks; it also knows the common ones. */
export const PASSWORD_LEAST = 10;

const passwordWords = defineWords({
  en: {
    hint: "At least {least} characters. A few words in a row are easy to keep and hard to guess.",
    missing: "Choose a password.",
    short: { one: "{count} more character is needed.", other: "{count} more characters are needed." },
  },
  zh: {
    hint: "至少 {least} 个字符。几个连在一起的词既好记又难猜。",
    missing: "请设置密码。",
    short: "还需要 {count} 个字符。",
  },
});

type Props = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Somebody tried to go on: what is missing is said. */
  isAsked: boolean;
  /** The server's sentence about it. */
  error?: string | undefined;
};

/** A password to be chosen, wherever one is. */
export function NewPassword({ label, value, onChange, isAsked, error }: Props) {
  const say = useWords(passwordWords);
  const count = PASSWORD_LEAST - [...value].length;
  const missing =
    !isAsked || count <= 0 ? undefined : value === "" ? say("missing") : say("short", { count });
  const shown = error ?? missing;
  return (
    <Field
      label={label}
      hint={say("hint", { least: PASSWORD_LEAST })}
      {...(shown === undefined ? {} : { error: shown })}
    >
      <PasswordInput value={value} onChange={onChange} autoComplete="new-password" name="new-password" />
    </Field>
  );
}
