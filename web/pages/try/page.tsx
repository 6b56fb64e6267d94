import { useNavigate, useSearch } from "@tanstack/react-router";
import { FlaskConical, KeyRound } from "lucide-react";
import { lazy, Suspense, useCallback } from "react";
import { useHouse } from "../../api/house.ts";
import { useApi } from "../../api/query.ts";
import type { trySearch } from "../../app/search.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Dialect } from "./draft.ts";
import { TryForm } from "./try-form.tsx";
import { useTry } from "./use-try.ts";
import { words } from "./words.ts";

const AnswerView = lazy(async () => ({ default: (await import("./answer-view.tsx")).AnswerView }));

type Search = ReturnType<typeof trySearch>;

function useChoice() {
  const search = useSearch({ from: "/signed-in/try" });
  const navigate = useNavigate({ from: "/try" });
  const choose = useCallback(
    (part: Search) =>
      void navigate({ search: before => ({ ...before, ...part }), replace: true, resetScroll: false }),
    [navigate],
  );
  return { search, choose };
}

export function Page() {
  const say = useWords(words);
  const keys = useApi("GET /keys");
  const models = useApi("GET /models");
  const house = useHouse();
  const { search, choose } = useChoice();
  const { run, send, stop } = useTry();
  const error = keys.error ?? models.error;
  const retry = () => {
    void keys.refetch();
    void models.refetch();
  };
  const active = keys.data?.keys.filter(({ state }) => state === "active");
  const usable = active?.filter(({ can_import }) => can_import);
  const key = usable?.find(({ id }) => id === search.key) ?? usable?.[0];
  const offered = (models.data?.models ?? [])
    .filter(({ groups }) => groups.some(({ id }) => id === key?.group.id))
    .map(({ name }) => name);
  const model = search.model ?? offered[0] ?? "";
  const dialect: Dialect = search.dialect ?? "chat";
  const isReady = active !== undefined && models.data !== undefined;
  return (
    <>
      <PageHeader title={say("title")} description={say("description")} />
      {!isReady && error !== null ? <ErrorState error={error} onRetry={retry} /> : null}
      {!isReady && error === null ? <Skeleton className="h-96 w-full" /> : null}
      {isReady && key === undefined ? (
        <NoKey hasKeys={active.length > 0} keepsCopies={house.data?.sealed_copies ?? true} />
      ) : null}
      {isReady && key !== undefined ? (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
          <TryForm
            keys={active}
            keyId={key.id}
            models={offered}
            model={model}
            dialect={dialect}
            onChoose={choose}
            isRunning={run?.phase === "waiting" || run?.phase === "running"}
            onSend={send}
            onStop={stop}
          />
          {run === null ? (
            <div className="panel">
              <EmptyState icon={<FlaskConical size={20} aria-hidden />} title={say("emptyTitle")}>
                {say("emptyText")}
              </EmptyState>
            </div>
          ) : (
            <Suspense fallback={<Skeleton className="h-64 w-full" />}>
              <AnswerView run={run} />
            </Suspense>
          )}
        </div>
      ) : null}
    </>
  );
}

function NoKey({ hasKeys, keepsCopies }: { hasKeys: boolean; keepsCopies: boolean }) {
  const say = useWords(words);
  const icon = <KeyRound size={20} aria-hidden />;
  if (!keepsCopies) {
    return (
      <EmptyState icon={icon} title={say("noCopies")}>
        {say("noCopiesText")}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={icon}
      title={say(hasKeys ? "noCopyOfKey" : "noKey")}
      action={
        <LinkButton to="/keys" search={hasKeys ? {} : { show: "create" }} tone="primary">
          {say(hasKeys ? "toKeys" : "makeKey")}
        </LinkButton>
      }
    >
      {say(hasKeys ? "noCopyOfKeyText" : "noKeyText")}
    </EmptyState>
  );
}
