import type { ReactNode } from "react";
import { useWords } from "../words/language-provider.tsx";
import { CopyButton } from "./copy-button.tsx";
import { partWords } from "./part-words.ts";
import { ScrollRegion } from "./scroll-region.tsx";

type Props = {
  code: string;
  /** What it is: bash, TOML … */
  language?: string;
  /** Where it belongs, such as ~/.codex/config.toml. */
  file?: string | null;
  /** Copied instead of what is shown, where a part is masked. */
  copy?: string | (() => string);
  onCopied?: () => void;
  aside?: ReactNode;
};

export function CodeBlock({ code, language, file, copy, onCopied, aside }: Props) {
  const say = useWords(partWords);
  return (
    <figure className="min-w-0 overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex min-h-9 items-center justify-between gap-2 border-line border-b py-0.5 pr-1 pl-3">
        <span className="min-w-0 truncate text-ink-3 text-xs">
          {file === undefined || file === null ? language : <code>{file}</code>}
        </span>
        <span className="flex items-center gap-1">
          {aside}
          <CopyButton
            text={copy ?? code}
            what={file ?? language ?? ""}
            {...(onCopied === undefined ? {} : { onCopied })}
          />
        </span>
      </figcaption>
      <ScrollRegion label={file ?? language ?? say("code")}>
        <pre className="w-max min-w-full px-3 py-2.5 leading-[1.6]">
          <code className="text-[12.5px]">{code}</code>
        </pre>
      </ScrollRegion>
    </figure>
  );
}
