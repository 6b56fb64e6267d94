import { Plus, Repeat } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useApi } from "../../api/query.ts";
import { NotOperator } from "../../app/not-operator.tsx";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Open } from "./open-dialog.tsx";
import { PlanList } from "./plan-list.tsx";
import { usePlansSearch } from "./use-plans-search.ts";
import { words } from "./words.ts";

const OpenDialog = lazy(async () => ({ default: (await import("./open-dialog.tsx")).OpenDialog }));
const PlanPanel = lazy(async () => ({ default: (await import("./plan-panel.tsx")).PlanPanel }));

export function Page() {
  const say = useWords(words);
  const plans = useApi("GET /operator/plans");
  const { search, change } = usePlansSearch();
  const [asked, setAsked] = useState<Open | null>(null);
  if (plans.error instanceof ApiError && plans.error.code === "not_allowed") {
    return <NotOperator title={say("title")} />;
  }
  const create = () => change({ show: "create" }, true);
  const open: Open | null = search.show === "create" ? { what: "form", plan: null } : asked;
  const close = () => {
    setAsked(null);
    if (search.show !== undefined) change({ show: undefined });
  };
  const button = (
    <Button tone="primary" icon={<Plus size={16} aria-hidden />} onClick={create}>
      {say("create")}
    </Button>
  );
  return (
    <>
      <PageHeader title={say("title")} description={say("description")} actions={button} />
      <div className="panel">
        <PlanList
          rows={plans.data?.plans}
          error={plans.error}
          onRetry={() => void plans.refetch()}
          onShow={setAsked}
          empty={
            <EmptyState icon={<Repeat size={20} aria-hidden />} title={say("emptyTitle")} action={button}>
              {say("emptyText")}
            </EmptyState>
          }
        />
      </div>
      {search.plan === undefined ? null : (
        <Suspense fallback={null}>
          <PlanPanel key={search.plan} id={search.plan} onClose={() => change({ plan: undefined }, true)} />
        </Suspense>
      )}
      {open === null ? null : (
        <Suspense fallback={null}>
          <OpenDialog open={open} onClose={close} onRemoved={close} />
        </Suspense>
      )}
    </>
  );
}
