import { Boxes, FileInput, Plus, SearchX } from "lucide-react";
import { lazy, Suspense, useMemo, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/query.ts";
import { NotOperator } from "../../app/not-operator.tsx";
import { Banner } from "../../parts/banner.tsx";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { ModelList } from "./model-list.tsx";
import { isNarrowed, type Model, matching, type Suggested, useSuggested } from "./model-reads.ts";
import { ModelTools } from "./model-tools.tsx";
import type { Open } from "./open-dialog.tsx";
import { useModelsSearch } from "./use-models-search.ts";
import { words } from "./words.ts";

const OpenDialog = lazy(async () => ({ default: (await import("./open-dialog.tsx")).OpenDialog }));
const ModelPanel = lazy(async () => ({ default: (await import("./model-panel.tsx")).ModelPanel }));

export function Page() {
  const say = useWords(words);
  const models = useApi("GET /operator/models");
  const { search, change } = useModelsSearch();
  const [asked, setAsked] = useState<Open | null>(null);
  const all = models.data?.models;
  const suggested = useSuggested(all);
  const rows = useMemo(() => (all === undefined ? undefined : matching(all, search)), [all, search]);
  if (models.error instanceof ApiError && models.error.code === "not_allowed") {
    return <NotOperator title={say("title")} />;
  }
  // Two of them have an address of their own, so that other pages lead to them.
  const open: Open | null = search.show === undefined ? asked : { what: search.show };
  const close = () => {
    setAsked(null);
    if (search.show !== undefined) change({ show: undefined });
  };
  return (
    <>
      <PageHeader
        title={say("title")}
        description={say("description")}
        actions={
          <>
            <Button
              icon={<FileInput size={16} aria-hidden />}
              onClick={() => change({ show: "import" }, true)}
            >
              {say("import")}
            </Button>
            <Button
              tone="primary"
              icon={<Plus size={16} aria-hidden />}
              onClick={() => change({ show: "add" }, true)}
            >
              {say("add")}
            </Button>
          </>
        }
      />
      <Unpriced models={all ?? []} suggested={suggested} />
      <div className="panel">
        {all?.length === 0 ? null : <ModelTools models={all ?? []} shown={rows?.length ?? null} />}
        <ModelList
          rows={rows}
          suggested={suggested}
          error={models.error}
          onRetry={() => void models.refetch()}
          onShow={setAsked}
          empty={<Empty />}
        />
      </div>
      {search.model === undefined ? null : (
        <Suspense fallback={null}>
          <ModelPanel
            key={search.model}
            id={search.model}
            suggested={suggested}
            onClose={() => change({ model: undefined }, true)}
          />
        </Suspense>
      )}
      {open === null ? null : (
        <Suspense fallback={null}>
          <OpenDialog open={open} models={all ?? []} suggested={suggested} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

/** What is refused for want of a price, before anything else. */
function Unpriced({ models, suggested }: { models: readonly Model[]; suggested: Suggested | null }) {
  const say = useWords(words);
  const { search, change } = useModelsSearch();
  const count = models.filter(({ price }) => price === null).length;
  if (count === 0) return null;
  const known = suggested?.prices.size ?? 0;
  return (
    <Banner
      tone="bad"
      className="mb-4"
      title={say("unpricedTitle", { count })}
      action={
        known > 0 ? (
          <Button size="sm" onClick={() => change({ show: "import" }, true)}>
            {say("useAllSuggested", { count: known })}
          </Button>
        ) : search.only === "unpriced" ? null : (
          <Button size="sm" onClick={() => change({ only: "unpriced" })}>
            {say("showUnpriced")}
          </Button>
        )
      }
    >
      {say("unpricedText")}
    </Banner>
  );
}

function Empty() {
  const say = useWords(words);
  const { search, change } = useModelsSearch();
  if (isNarrowed(search)) {
    const clear = () => change({ q: undefined, only: undefined, upstream: undefined });
    return (
      <EmptyState
        icon={<SearchX size={20} aria-hidden />}
        title={say("noMatch")}
        action={<Button onClick={clear}>{say("clearFilters")}</Button>}
      >
        {say("noMatchText")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<Boxes size={20} aria-hidden />}
      title={say("emptyTitle")}
      action={
        <Button tone="primary" onClick={() => change({ show: "add" }, true)}>
          {say("add")}
        </Button>
      }
    >
      {say("emptyText")}
    </EmptyState>
  );
}
