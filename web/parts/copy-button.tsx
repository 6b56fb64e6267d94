import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useWords } from "../words/language-provider.tsx";
import { Button, type ButtonSize, type ButtonTone } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { copyText } from "./copy-text.ts";
import { iconButtonClass } from "./icon-button.tsx";
import { partWords } from "./part-words.ts";
import { toast } from "./toast-store.ts";

type Props = {
  /** Or what gives it when it is clicked. */
  text: string | (() => string);
  /** What is copied, for who cannot see it: “base URL”. */
  what?: string;
  /** Without the word. */
  iconOnly?: boolean;
  tone?: ButtonTone;
  size?: ButtonSize;
  label?: string;
  onCopied?: () => void;
};

const COPIED_MS = 1800;

export function CopyButton({ text, what, iconOnly, tone = "ghost", size = "sm", label, onCopied }: Props) {
  const say = useWords(partWords);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    if (await copyText(typeof text === "string" ? text : text())) {
      setCopied(true);
      onCopied?.();
    } else toast(say("copyFailed"), { tone: "bad" });
  };
  const name = what === undefined ? say("copy") : say("copyWhat", { what });
  const icon = isCopied ? (
    <Check size={15} className="text-ok" aria-hidden />
  ) : (
    <Copy size={15} aria-hidden />
  );
  const announced = (
    <span className="sr-only" aria-live="polite">
      {isCopied ? say("copied") : ""}
    </span>
  );
  if (iconOnly) {
    return (
      <button
        type="button"
        aria-label={name}
        title={name}
        onClick={event => {
          event.stopPropagation();
          void copy();
        }}
        className={classNames(iconButtonClass, "size-7!")}
      >
        {icon}
        {announced}
      </button>
    );
  }
  return (
    <Button
      tone={tone}
      size={size}
      icon={icon}
      onClick={() => void copy()}
      {...(label === undefined ? { "aria-label": isCopied ? say("copied") : name } : {})}
    >
      {isCopied ? say("copied") : (label ?? say("copy"))}
      {announced}
    </Button>
  );
}
