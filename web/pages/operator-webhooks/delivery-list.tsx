import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Inbox } from "lucide-react";
import { call } from "../../api/call.ts";
import { Button } from "../../parts/button.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Segmented } from "../../parts/segmented.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { useWords } from "../../words/language-provider.tsx";
import { DeliveryRow } from "./delivery-row.tsx";
import { useWebhooksSearch } from "./use-webhooks-search.ts";
import type { Delivery } from "./webhook.ts";
import { words } from "./words.ts";

const STATES = ["all", "waiting", "delivered", "given_up"] as const;
const PAGE_ROWS = 30;
const LIVE_MS = 3000;

function useDeliveries(id: string, state: Delivery["state"] | undefined) {
  return useInfiniteQuery({
    queryKey: ["GET /operator/webhooks/{id}/deliveries", id, state ?? null],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      call("GET /operator/webhooks/{id}/deliveries", {
        params: { id },
        query: {
          limit: PAGE_ROWS,
          ...(state === undefined ? {} : { state }),
          ...(pageParam === null ? {} : { before: pageParam }),
        },
        signal,
      }),
    getNextPageParam: last => last.next,
    placeholderData: keepPreviousData,
    // Whoever looks at older ones is not to have them all fetched over and over.
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 1) > 1 ? false : LIVE_MS),
  });
}

/** What was sent, newest first; it goes on by itself. */
export function DeliveryList({ id }: { id: string }) {
  const say = useWords(words);
  const { search, change } = useWebhooksSearch();
  const deliveries = useDeliveries(id, search.state);
  const rows = deliveries.data?.pages.flatMap(page => page.deliveries);
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-semibold">{say("deliveries")}</h3>
        <Segmented
          label={say("deliveryState")}
          value={search.state ?? "all"}
          onChange={state => change({ state: state === "all" ? undefined : state })}
          options={STATES.map(value => ({ value, label: say(value) }))}
        />
      </header>
      {rows === undefined ? (
        deliveries.error === null ? (
          <Skeleton className="h-40 w-full" />
        ) : (
          <ErrorState error={deliveries.error} onRetry={() => void deliveries.refetch()} />
        )
      ) : rows.length === 0 ? (
        <EmptyState
          icon={<Inbox size={20} aria-hidden />}
          title={say(search.state === undefined ? "noDeliveries" : "noneOfState")}
        >
          {search.state === undefined ? say("noDeliveriesText") : null}
        </EmptyState>
      ) : (
        <ul aria-label={say("deliveries")} className="overflow-hidden rounded-lg border border-line">
          {rows.map(delivery => (
            <DeliveryRow key={delivery.id} webhookId={id} delivery={delivery} />
          ))}
        </ul>
      )}
      {deliveries.hasNextPage ? (
        <Button
          size="sm"
          className="justify-self-center"
          busy={deliveries.isFetchingNextPage}
          onClick={() => void deliveries.fetchNextPage()}
        >
          {say("loadMore")}
        </Button>
      ) : null}
    </section>
  );
}
