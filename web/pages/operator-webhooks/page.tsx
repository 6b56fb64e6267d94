import { useQuery } from "@tanstack/react-query";
import { Plus, Webhook as WebhookIcon } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { queryOf } from "../../api/query.ts";
import { NotOperator } from "../../app/not-operator.tsx";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { useWords } from "../../words/language-provider.tsx";
import type { Open } from "./open-dialog.tsx";
import { useWebhooksSearch } from "./use-webhooks-search.ts";
import { WebhookList } from "./webhook-list.tsx";
import { words } from "./words.ts";

const OpenDialog = lazy(async () => ({ default: (await import("./open-dialog.tsx")).OpenDialog }));
const WebhookPanel = lazy(async () => ({ default: (await import("./webhook-panel.tsx")).WebhookPanel }));

/** Often enough to see a delivery arrive. */
const LIVE_MS = 4000;

export function Page() {
  const say = useWords(words);
  const webhooks = useQuery({ ...queryOf("GET /operator/webhooks"), refetchInterval: LIVE_MS });
  const { search, change } = useWebhooksSearch();
  const [open, setOpen] = useState<Open | null>(null);
  const rows = webhooks.data?.webhooks;
  if (webhooks.error instanceof ApiError && webhooks.error.code === "not_allowed") {
    return <NotOperator title={say("title")} />;
  }
  const make = (
    <Button tone="primary" icon={<Plus size={16} aria-hidden />} onClick={() => setOpen({ what: "make" })}>
      {say("make")}
    </Button>
  );
  return (
    <>
      <PageHeader title={say("title")} description={say("description")} actions={make} />
      <div className="panel">
        <WebhookList
          rows={rows}
          error={webhooks.error}
          onRetry={() => void webhooks.refetch()}
          openId={search.webhook ?? null}
          onOpen={({ id }) => change({ webhook: id }, search.webhook === undefined)}
          onShow={setOpen}
          empty={
            <EmptyState icon={<WebhookIcon size={20} aria-hidden />} title={say("emptyTitle")} action={make}>
              {say("emptyText")}
            </EmptyState>
          }
        />
      </div>
      {search.webhook === undefined ? null : (
        <Suspense fallback={null}>
          <WebhookPanel
            key={search.webhook}
            id={search.webhook}
            webhook={rows?.find(({ id }) => id === search.webhook)}
            isHere={rows !== undefined}
            onClose={() => change({ webhook: undefined, state: undefined }, true)}
          />
        </Suspense>
      )}
      {open === null ? null : (
        <Suspense fallback={null}>
          <OpenDialog open={open} onOpen={setOpen} onClose={() => setOpen(null)} />
        </Suspense>
      )}
    </>
  );
}
