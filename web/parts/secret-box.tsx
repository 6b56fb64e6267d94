import type { ReactNode } from "react";

/** Something that is shown this one time, to be copied: a key's string, a link. */
export function SecretBox({ text, aside }: { text: string; aside?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2.5 rounded-lg border border-accent border-dashed bg-accent-soft px-3.5 py-3">
      <code className="min-w-0 flex-1 basis-60 select-all break-all text-[13px]">{text}</code>
      {aside}
    </div>
  );
}
