import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { FileJson } from "lucide-react";
import { useMemo } from "react";
import { call } from "../../api/call.ts";
import { addressOf } from "../../api/client.ts";
import { pruned } from "../../app/pruned-search.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { type Document, matching, readDocument, type Shown } from "./document.ts";
import { EndpointRow } from "./endpoint-row.tsx";
import { inChinese } from "./in-chinese.ts";
import { words } from "./words.ts";

function useDocument() {
  return useQuery({
    queryKey: ["GET /openapi.json"],
    queryFn: async ({ signal }) =>
      readDocument((await call("GET /openapi.json", { signal })) as unknown as Document),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function byNoun(all: readonly Shown[]): [noun: string, endpoints: Shown[]][] {
  const nouns = new Map<string, Shown[]>();
  for (const one of all) nouns.set(one.noun, [...(nouns.get(one.noun) ?? []), one]);
  return [...nouns].sort(([a], [b]) => Number(b.startsWith("operator")) - Number(a.startsWith("operator")));
}

/** The console's API to read: every endpoint by what it is about, who may call it, and its forms. */
export function Page() {
  const say = useWords(words);
  const search = useSearch({ from: "/signed-in/operator/api" });
  const navigate = useNavigate({ from: "/operator/api" });
  const { data, error, refetch } = useDocument();
  const q = search.q ?? "";
  const { language } = say;
  const shown = useMemo(() => (language === "zh" ? data?.map(inChinese) : data), [data, language]);
  const nouns = useMemo(() => (shown === undefined ? undefined : byNoun(matching(shown, q))), [shown, q]);
  const change = (part: { q?: string | undefined; call?: string | undefined }) =>
    void navigate({
      search: before => pruned<typeof search>({ ...before, ...part }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <PageHeader
        title={say("title")}
        description={say("description")}
        actions={
          <a href={addressOf("GET /openapi.json")} target="_blank" rel="noreferrer" className={buttonClass()}>
            <FileJson size={15} aria-hidden />
            {say("document")}
          </a>
        }
      />
      <div className="mb-3.5">
        <SearchInput label={say("find")} value={q} onChange={text => change({ q: text })} />
      </div>
      {nouns === undefined && error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : null}
      {nouns === undefined && error === null ? <Skeleton className="h-96 w-full" /> : null}
      {nouns?.length === 0 ? (
        <EmptyState
          title={say("noMatch")}
          action={<Button onClick={() => change({ q: "" })}>{say("clear")}</Button>}
        />
      ) : null}
      <div className="grid grid-cols-[minmax(0,1fr)] gap-3.5">
        {nouns?.map(([noun, endpoints]) => (
          <Panel key={noun} title={<code>{`/${noun}`}</code>} flush>
            <ul>
              {endpoints.map(one => (
                <EndpointRow
                  key={one.name}
                  endpoint={one}
                  isOpen={search.call === one.name}
                  onToggle={isOpen => change({ call: isOpen ? one.name : undefined })}
                />
              ))}
            </ul>
          </Panel>
        ))}
      </div>
    </>
  );
}
