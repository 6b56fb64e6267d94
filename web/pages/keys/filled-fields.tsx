import type { Answer } from "../../api/client.ts";
import { CopyButton } from "../../parts/copy-button.tsx";

type Piece = Answer<"GET /keys/{id}/setup">["clients"][number]["pieces"][number];

const FIELD = /^([^:]+): (.+)$/;

/** Whether it is settings to fill in by hand, one line each, rather than something to paste whole. */
export function isForm({ language, file, text }: Piece): boolean {
  return language === "text" && file === null && text.split("\n").every(line => FIELD.test(line));
}

/** Field by field, as the program's own form has them. */
export function FilledFields({ text, onCopied }: { text: string; onCopied: () => void }) {
  const fields = text.split("\n").flatMap(line => {
    const [, label, value] = FIELD.exec(line) ?? [];
    return label === undefined || value === undefined ? [] : { label, value };
  });
  return (
    <dl className="divide-y divide-line rounded-lg border border-line">
      {fields.map(({ label, value }) => (
        <div
          key={label}
          className="grid grid-cols-[minmax(96px,34%)_minmax(0,1fr)] items-center gap-x-3 py-1 pr-1 pl-3 phone:grid-cols-1"
        >
          <dt className="text-ink-2 phone:pt-1 phone:text-xs">{label}</dt>
          <dd className="flex min-w-0 items-center justify-between gap-3">
            <code className="min-w-0 break-all">{value}</code>
            <CopyButton iconOnly text={value} what={label} onCopied={onCopied} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
