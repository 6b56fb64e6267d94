import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { useWords } from "../words/language-provider.tsx";
import { partWords } from "./part-words.ts";
import { TextInput } from "./text-input.tsx";

type Props = ComponentProps<typeof TextInput> & {
  /** What the eye does, where it is no password. */
  words?: { show: string; hide: string };
};

export function PasswordInput({ words, ...props }: Props) {
  const [isShown, setShown] = useState(false);
  const say = useWords(partWords);
  const { show, hide } = words ?? { show: say("showPassword"), hide: say("hidePassword") };
  const Icon = isShown ? EyeOff : Eye;
  return (
    <div className="relative">
      <TextInput
        autoCapitalize="none"
        spellCheck={false}
        autoCorrect="off"
        {...props}
        type={isShown ? "text" : "password"}
        className="pr-10!"
      />
      <button
        type="button"
        aria-label={isShown ? hide : show}
        onClick={() => setShown(!isShown)}
        className="absolute inset-y-0 right-0 grid w-10 place-items-center rounded-md text-ink-3 hover:text-ink"
      >
        <Icon size={16} aria-hidden />
      </button>
    </div>
  );
}
