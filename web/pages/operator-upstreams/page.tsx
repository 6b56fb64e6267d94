import { useQuery } from "@tanstack/react-query";
import { Plus, Waypoints } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { queryOf } from "../../api/query.ts";
import { NotOperator } from "../../app/not-operator.tsx";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Open } from "./open-dialog.tsx";
import { UpstreamList } from "./upstream-list.tsx";
import { UpstreamTools } from "./upstream-tools.tsx";
import { isNarrowed, matching, useUpstreamsSearch } from "./use-upstreams-search.ts";
import { words } from "./words.ts";

const OpenDialog = lazy(async () => ({ default: (await import("./open-dialog.tsx")).OpenDialog }));
const UpstreamPanel = lazy(async () => ({ default: (await import("./upstream-panel.tsx")).UpstreamPanel }));
const AddDialog = lazy(async () => ({ default: (await import("./add-dialog.tsx")).AddDialog }));

/** How they are doing is watched while somebody looks. */
const LIVE_MS = 4000;

export function Page() {
  const say = useWords(words);
  const listed = useQuery({ ...queryOf("GET /operator/upstreams"), refetchInterval: LIVE_MS });
  const { search, change } = useUpstreamsSearch();
  const [open, setOpen] = useState<Open | null>(null);
  const all = listed.data?.upstreams;
  const rows = useMemo(() => (all === undefined ? undefined : matching(all, search)), [all, search]);
  if (listed.error instanceof ApiError && listed.error.code === "not_allowed") {
    return <NotOperator title={say("title")} />;
  }
  const add = () => change({ show: "add" }, true);
  return (
    <>
      <PageHeader
        title={say("title")}
        description={say("description")}
        actions={
          <Button tone="primary" icon={<Plus size={16} aria-hidden />} onClick={add}>
            {say("add")}
          </Button>
        }
      />
      <div className="panel">
        {all?.length === 0 ? null : <UpstreamTools shown={rows?.length ?? null} count={all?.length ?? 0} />}
        <UpstreamList
          rows={rows}
          all={all}
          error={listed.error}
          onRetry={() => void listed.refetch()}
          onShow={setOpen}
          empty={<Empty isNarrowed={isNarrowed(search)} onAdd={add} />}
        />
      </div>
      {search.upstream === undefined ? null : (
        <Suspense fallback={null}>
          <UpstreamPanel
            key={search.upstream}
            id={search.upstream}
            onClose={() => change({ upstream: undefined, part: undefined }, true)}
          />
        </Suspense>
      )}
      {search.show === undefined ? null : (
        <Suspense fallback={null}>
          <AddDialog
            names={(all ?? []).map(({ name }) => name)}
            onClose={() => change({ show: undefined })}
            onOpen={id => change({ show: undefined, upstream: id, part: undefined }, true)}
          />
        </Suspense>
      )}
      {open === null ? null : (
        <Suspense fallback={null}>
          <OpenDialog open={open} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  );
}

function Empty({ isNarrowed: isFiltered, onAdd }: { isNarrowed: boolean; onAdd: () => void }) {
  const say = useWords(words);
  const { change } = useUpstreamsSearch();
  if (isFiltered) {
    const clear = () => change({ q: undefined, state: undefined });
    return (
      <EmptyState title={say("noMatch")} action={<Button onClick={clear}>{say("clearSearch")}</Button>}>
        {say("noMatchText")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Waypoints size={20} aria-hidden />}
      title={say("emptyTitle")}
      action={
        <Button tone="primary" onClick={onAdd}>
          {say("add")}
        </Button>
      }
    >
      {say("emptyText")}
    </EmptyState>
  );
}
