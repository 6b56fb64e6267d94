import { BookOpen, Plus, Terminal } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import type { Answer } from "../../api/client.ts";
import { useApi } from "../../api/query.ts";
import { NotOperator } from "../../app/not-operator.tsx";
import { now } from "../../format/clock.ts";
import { Button } from "../../parts/button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Pill } from "../../parts/pill.tsx";
import { RelativeTime } from "../../parts/relative-time.tsx";
import { ACTIONS } from "../../parts/table-column.ts";
import { Tag } from "../../parts/tag.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Open } from "./open-dialog.tsx";
import { SCOPE_WORDS } from "./scopes.ts";
import { words } from "./words.ts";

const OpenDialog = lazy(async () => ({ default: (await import("./open-dialog.tsx")).OpenDialog }));

export type Token = Answer<"GET /operator/tokens">["tokens"][number];

function useFacts(): Column<Token>[] {
  const say = useWords(words);
  return useMemo(
    () => [
      {
        id: "name",
        header: say("name"),
        card: "title",
        sort: token => token.name,
        cell: token => (
          <span className="grid min-w-0">
            <span dir="auto" className="break-words font-medium">
              {token.name}
            </span>
            <code className="text-ink-3 text-xs">{token.preview}</code>
          </span>
        ),
      },
      {
        id: "scope",
        header: say("scope"),
        sort: token => token.scope,
        cell: token => <Tag>{say(SCOPE_WORDS[token.scope].title)}</Tag>,
      },
      {
        id: "by",
        header: say("by"),
        sort: token => token.by,
        cell: token => <span className="break-all text-ink-2">{token.by}</span>,
      },
      {
        id: "used",
        header: say("lastUsed"),
        descFirst: true,
        sort: token => token.last_used_at,
        cell: token =>
          token.last_used_at === null ? (
            <span className="text-ink-3">{say("never")}</span>
          ) : (
            <RelativeTime at={token.last_used_at} />
          ),
      },
      {
        id: "expires",
        header: say("expires"),
        sort: token => token.expires_at,
        cell: token =>
          Date.parse(token.expires_at) <= now() ? (
            <Pill tone="quiet">{say("expired")}</Pill>
          ) : (
            <RelativeTime at={token.expires_at} />
          ),
      },
      {
        id: "made",
        header: say("made"),
        descFirst: true,
        sort: token => token.created_at,
        cell: token => <RelativeTime at={token.created_at} />,
      },
    ],
    [say],
  );
}

export function Page() {
  const say = useWords(words);
  const tokens = useApi("GET /operator/tokens");
  const [open, setOpen] = useState<Open | null>(null);
  const facts = useFacts();
  const columns = useMemo<Column<Token>[]>(
    () => [
      ...facts,
      {
        ...ACTIONS,
        header: say("actions"),
        cell: token => (
          <span>
            <Button
              size="sm"
              tone="bad"
              aria-label={say("endOne", { name: token.name })}
              onClick={() => setOpen({ what: "end", token })}
            >
              {say("end")}
            </Button>
          </span>
        ),
      },
    ],
    [say, facts],
  );
  if (tokens.error instanceof ApiError && tokens.error.code === "not_allowed") {
    return <NotOperator title={say("title")} />;
  }
  const make = (
    <Button tone="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setOpen({ what: "make" })}>
      {say("make")}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={say("title")}
        description={say("description")}
        actions={
          <>
            <LinkButton to="/operator/api" icon={<BookOpen size={15} aria-hidden />}>
              {say("browse")}
            </LinkButton>
            {make}
          </>
        }
      />
      <div className="panel">
        <DataTable
          label={say("list")}
          columns={columns}
          rows={tokens.data?.tokens}
          getId={token => token.id}
          error={tokens.error}
          onRetry={() => void tokens.refetch()}
          initialSort={{ id: "made", desc: true }}
          empty={
            <EmptyState icon={<Terminal size={20} aria-hidden />} title={say("emptyTitle")} action={make}>
              {say("emptyText")}
            </EmptyState>
          }
        />
      </div>
      {open === null ? null : (
        <Suspense fallback={null}>
          <OpenDialog open={open} onOpen={setOpen} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  );
}
