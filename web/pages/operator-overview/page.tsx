import { lazy, Suspense } from "react";
import { ApiError } from "../../api/api-error.ts";
import { NotOperator } from "../../app/not-operator.tsx";
import { classNames } from "../../parts/class-names.ts";
import { ErrorState } from "../../parts/error-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { Attention } from "./attention.tsx";
import { Figures } from "./figures.tsx";
import { TopLists } from "./top-list.tsx";
import { UpstreamHealth } from "./upstream-health.tsx";
import { useFirstSteps } from "./use-first-steps.ts";
import { RANGES, useOverview } from "./use-overview.ts";
import { words } from "./words.ts";

const Charts = lazy(async () => ({ default: (await import("./charts.tsx")).Charts }));
const FirstSteps = lazy(async () => ({ default: (await import("./first-steps.tsx")).FirstSteps }));

export function Page() {
  const say = useWords(words);
  const { overview, range, choose } = useOverview();
  const { data, error } = overview;
  const { steps, hide } = useFirstSteps(data);
  if (error instanceof ApiError && error.code === "not_allowed") return <NotOperator title={say("title")} />;
  return (
    <div aria-busy={overview.isPlaceholderData}>
      <PageHeader
        title={say("title")}
        description={<Live isLost={error !== null} />}
        actions={
          <Segmented
            label={say("range")}
            value={range}
            onChange={choose}
            options={RANGES.map(value => ({ value, label: say(value) }))}
          />
        }
      />
      {data === undefined && error !== null ? (
        <div className="panel">
          <ErrorState
            error={error}
            onRetry={() => void overview.refetch()}
            isRetrying={overview.isFetching}
          />
        </div>
      ) : (
        <>
          {steps === null ? null : (
            <Suspense fallback={null}>
              <FirstSteps steps={steps} onHide={hide} />
            </Suspense>
          )}
          {data === undefined ? null : <Attention entries={data.attention} />}
          <Figures overview={data} />
          <Suspense fallback={<Skeleton className="mb-3.5 h-[270px] w-full" />}>
            <Charts overview={data} />
          </Suspense>
          <UpstreamHealth upstreams={data?.upstreams} />
          <TopLists overview={data} range={range} />
        </>
      )}
    </div>
  );
}

/** Whether the figures go on by themselves. */
function Live({ isLost }: { isLost: boolean }) {
  const say = useWords(words);
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      {say("description")}
      <span role="status" className="inline-flex items-center gap-1.5 text-sm">
        <i
          aria-hidden
          className={classNames("size-2 shrink-0 rounded-full", isLost ? "bg-warn" : "animate-pulse bg-ok")}
        />
        {say(isLost ? "liveLost" : "live")}
      </span>
    </span>
  );
}
