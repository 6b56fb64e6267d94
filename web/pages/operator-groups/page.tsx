import { FolderTree, Plus, SearchX } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/query.ts";
import { NotOperator } from "../../app/not-operator.tsx";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { GroupList } from "./group-list.tsx";
import { matching } from "./group-reads.ts";
import type { Asked } from "./state-dialogs.tsx";
import { useGroupsSearch } from "./use-groups-search.ts";
import { words } from "./words.ts";

const GroupDialog = lazy(async () => ({ default: (await import("./group-dialog.tsx")).GroupDialog }));
const StateDialogs = lazy(async () => ({ default: (await import("./state-dialogs.tsx")).StateDialogs }));

export function Page() {
  const say = useWords(words);
  const groups = useApi("GET /operator/groups");
  const { search, change } = useGroupsSearch();
  const [asked, setAsked] = useState<Asked | null>(null);
  const all = groups.data?.groups;
  const rows = useMemo(() => (all === undefined ? undefined : matching(all, search)), [all, search]);
  if (groups.error instanceof ApiError && groups.error.code === "not_allowed") {
    return <NotOperator title={say("title")} />;
  }
  const create = () => change({ show: "create", group: undefined }, true);
  const isOpen = all !== undefined && (search.show === "create" || search.group !== undefined);
  return (
    <>
      <PageHeader
        title={say("title")}
        description={say("description")}
        actions={
          <Button tone="primary" icon={<Plus size={16} aria-hidden />} onClick={create}>
            {say("create")}
          </Button>
        }
      />
      <div className="panel">
        {all?.length === 0 ? null : <Tools shown={rows?.length ?? null} />}
        <GroupList
          rows={rows}
          error={groups.error}
          onRetry={() => void groups.refetch()}
          onAsk={setAsked}
          empty={<Empty onCreate={create} />}
        />
      </div>
      {isOpen ? (
        <Suspense fallback={null}>
          <GroupDialog
            key={search.group ?? "new"}
            group={search.show === "create" ? null : (all.find(({ id }) => id === search.group) ?? "missing")}
            isFirst={all.length === 0}
            onClose={() => change({ show: undefined, group: undefined }, true)}
          />
        </Suspense>
      ) : null}
      {asked === null ? null : (
        <Suspense fallback={null}>
          <StateDialogs asked={asked} onAsk={setAsked} onClose={() => setAsked(null)} />
        </Suspense>
      )}
    </>
  );
}

function Tools({ shown }: { shown: number | null }) {
  const say = useWords(words);
  const { search, change } = useGroupsSearch();
  return (
    <div className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-2.5">
      <div className="min-w-48 flex-1 phone:w-full phone:flex-none">
        <SearchInput
          label={say("find")}
          value={search.q ?? ""}
          onChange={q => change({ q: q === "" ? undefined : q })}
        />
      </div>
      {shown === null ? null : (
        <span className="mr-1 text-ink-3 text-sm phone:ml-auto" aria-live="polite">
          {say("count", { count: shown })}
        </span>
      )}
    </div>
  );
}

function Empty({ onCreate }: { onCreate: () => void }) {
  const say = useWords(words);
  const { search, change } = useGroupsSearch();
  if (search.q !== undefined) {
    return (
      <EmptyState
        icon={<SearchX size={20} aria-hidden />}
        title={say("noMatch")}
        action={<Button onClick={() => change({ q: undefined })}>{say("clear")}</Button>}
      >
        {say("noMatchText")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<FolderTree size={20} aria-hidden />}
      title={say("emptyTitle")}
      action={
        <Button tone="primary" icon={<Plus size={16} aria-hidden />} onClick={onCreate}>
          {say("create")}
        </Button>
      }
    >
      {say("emptyText")}
    </EmptyState>
  );
}
