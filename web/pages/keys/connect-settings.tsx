import type { ReactNode } from "react";
import { useHouse } from "../../api/house.ts";
import { useApi } from "../../api/query.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { words } from "./words.ts";

/** The three settings that every client needs. */
export function ConnectSettings() {
  const say = useWords(words);
  const { data: house } = useHouse();
  const { data } = useApi("GET /models");
  const count = data?.models.length;
  return (
    <dl className="panel mb-[18px] grid md:grid-cols-3">
      <Setting label={say("openaiUrl")} hint={say("openaiHint")}>
        <Address value={house?.openai_base_url} what={say("openaiUrl")} />
      </Setting>
      <Setting label={say("messagesUrl")} hint={say("messagesHint")}>
        <Address value={house?.messages_address} what={say("messagesUrl")} />
      </Setting>
      <Setting label={say("modelNames")} hint={say("modelHint")}>
        {count === undefined ? (
          <Skeleton className="my-1.5 h-3.5 w-36" />
        ) : (
          <span className="min-w-0 truncate">
            {count === 0 ? say("modelNone") : say("modelCount", { count })}
          </span>
        )}
        <LinkButton to="/models" size="sm" tone="ghost">
          {say("openList")}
        </LinkButton>
      </Setting>
    </dl>
  );
}

function Setting({ label, hint, children }: { label: string; hint: string; children: ReactNode }) {
  return (
    <div className="min-w-0 border-line px-4 py-3 not-last:border-b md:not-last:border-r md:not-last:border-b-0">
      <dt className="text-ink-3 text-xs">{label}</dt>
      <dd>
        <div className="mt-0.5 flex min-h-7 items-center justify-between gap-2">{children}</div>
        <p className="text-ink-3 text-xs">{hint}</p>
      </dd>
    </div>
  );
}

function Address({ value, what }: { value: string | undefined; what: string }) {
  if (value === undefined) return <Skeleton className="my-1.5 h-3.5 w-48" />;
  return (
    <>
      <code className="min-w-0 truncate" title={value}>
        {value}
      </code>
      <CopyButton text={value} what={what} />
    </>
  );
}
