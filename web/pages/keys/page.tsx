import { useQuery } from "@tanstack/react-query";
import { Plus, RefreshCw } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import type { Answer } from "../../api/client.ts";
import { queryOf } from "../../api/query.ts";
import { Button } from "../../parts/button.tsx";
import { classNames } from "../../parts/class-names.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { ConnectSettings } from "./connect-settings.tsx";
import type { Key } from "./draft.ts";
import type { Fresh } from "./fresh.ts";
import { KeysList } from "./keys-list.tsx";
import { useKeysSearch } from "./use-search.ts";
import { words } from "./words.ts";

const KeyDialogs = lazy(async () => ({ default: (await import("./key-dialogs.tsx")).KeyDialogs }));

const REFRESH_MS = 5000;

function newestFirst({ keys }: Answer<"GET /keys">): Key[] {
  return keys.toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1));
}

/** What runs and what was used last changes by itself, so the list does too, while somebody looks. */
function useKeys() {
  return useQuery({ ...queryOf("GET /keys"), refetchInterval: REFRESH_MS, select: newestFirst });
}

export function Page() {
  const say = useWords(words);
  const { search, show } = useKeysSearch();
  const keys = useKeys();
  const [fresh, setFresh] = useState<Fresh | null>(null);
  const [isAsked, setAsked] = useState(false);
  const refresh = async () => {
    setAsked(true);
    await keys.refetch();
    setAsked(false);
  };
  return (
    <>
      <PageHeader
        title={say("title")}
        description={say("description")}
        actions={
          <>
            <Button
              tone="ghost"
              icon={<RefreshCw size={15} className={classNames(isAsked && "animate-spin")} aria-hidden />}
              onClick={() => void refresh()}
            >
              {say("refresh")}
            </Button>
            <Button tone="primary" icon={<Plus size={16} aria-hidden />} onClick={() => show("create")}>
              {say("create")}
            </Button>
          </>
        }
      />
      <ConnectSettings />
      <KeysList keys={keys.data} error={keys.error} onRetry={() => void keys.refetch()} />
      {search.show === undefined && fresh === null ? null : (
        <Suspense fallback={null}>
          <KeyDialogs keys={keys.data} fresh={fresh} onFresh={setFresh} />
        </Suspense>
      )}
    </>
  );
}
