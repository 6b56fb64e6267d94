import { ArrowRight } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { ExactTime } from "../../parts/exact-time.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { SidePanel } from "../../parts/side-panel.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Entry } from "./audit-list.tsx";
import { useAuditSearch } from "./use-audit-search.ts";
import { useNames } from "./use-names.ts";
import { words } from "./words.ts";

/** One change: who, from where, and each field before and after. */
export function EntryPanel({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const say = useWords(words);
  const { nounName, actionName, throughName } = useNames();
  const { change } = useAuditSearch();
  const facts: { name: string; value: ReactNode }[] = [
    { name: say("time"), value: <ExactTime at={entry.at} form="date-time-seconds" /> },
    { name: say("by"), value: throughName(entry.by) },
    { name: say("through"), value: throughName(entry.through) },
    { name: say("address"), value: entry.address ?? "–" },
    { name: say("id"), value: entry.id === null ? "–" : <code>{entry.id}</code> },
    { name: say("number"), value: entry.number },
  ];
  return (
    <SidePanel
      open
      onClose={onClose}
      title={
        <span dir="auto" className="break-all">
          {entry.name}
        </span>
      }
      description={`${nounName(entry.noun)} · ${actionName(entry.action)}`}
      footer={
        <>
          <Button
            size="sm"
            onClick={() => change({ noun: entry.noun, name: entry.name, by: undefined, range: undefined })}
          >
            {say("onlyThis")}
          </Button>
          {entry.noun === "account" && entry.id !== null ? (
            <LinkButton size="sm" to="/operator/accounts" search={{ account: entry.id }}>
              {say("openAccount")}
            </LinkButton>
          ) : null}
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <Fields entry={entry} />
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1.5">
          {facts.map(({ name, value }) => (
            <div key={name} className="contents">
              <dt className="text-ink-3">{name}</dt>
              <dd className="break-all">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </SidePanel>
  );
}

function Fields({ entry }: { entry: Entry }) {
  const say = useWords(words);
  if (entry.fields.length === 0) return <p className="text-ink-2">{say("noFields")}</p>;
  return (
    <ul aria-label={say("fields")} className="rounded-lg border border-line">
      {entry.fields.map(({ field, before, after }) => (
        <li key={field} className="grid gap-1 border-line border-b px-3.5 py-2.5 last:border-0">
          <code className="text-ink-3 text-xs">{field}</code>
          <span className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
            <Value text={before} label={say("before")} isOld />
            <ArrowRight size={13} className="shrink-0 self-center text-ink-3" aria-hidden />
            <Value text={after} label={say("after")} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Value({ text, label, isOld = false }: { text: string; label: string; isOld?: boolean }) {
  const say = useWords(words);
  return (
    <span
      className={isOld ? "min-w-0 rounded-sm bg-bad-soft px-1.5" : "min-w-0 rounded-sm bg-ok-soft px-1.5"}
    >
      <span className="sr-only">{`${label} `}</span>
      {text === "" ? (
        <span className="text-ink-3 italic">{say("nothing")}</span>
      ) : (
        <span dir="auto" className="whitespace-pre-wrap wrap-anywhere">
          {text}
        </span>
      )}
    </span>
  );
}
