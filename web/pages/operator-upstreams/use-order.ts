import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { Answer } from "../../api/client.ts";
import { queryOf, useCall } from "../../api/query.ts";
import { toast } from "../../parts/toast-store.ts";
import { useWords } from "../../words/language-provider.tsx";
import { inOrder, isSame, type Tiers, tiersOf } from "./order.ts";
import { useSentence } from "./sentences.ts";
import { UPSTREAM_READS, type Upstream } from "./upstream-reads.ts";
import { words } from "./words.ts";

type Listed = Answer<"GET /operator/upstreams">;

/** The new order stands at once, and goes back where the server does not take it. */
export function useOrder(upstreams: readonly Upstream[] | undefined) {
  const say = useWords(words);
  const tell = useSentence();
  const queries = useQueryClient();
  const send = useCall("POST /operator/upstreams/order", { refresh: UPSTREAM_READS });
  return useCallback(
    (tiers: Tiers) => {
      if (upstreams === undefined || isSame(tiers, tiersOf(upstreams))) return;
      const { queryKey } = queryOf("GET /operator/upstreams");
      const before = queries.getQueryData<Listed>(queryKey);
      // What is under way would bring the old order back.
      void queries.cancelQueries({ queryKey });
      queries.setQueryData<Listed>(queryKey, { upstreams: inOrder(upstreams, tiers) });
      const ids = tiers.map(tier => [...tier]);
      send.mutate(
        { body: { ids } },
        {
          onSuccess: () => toast(say("ordered")),
          onError: error => {
            queries.setQueryData(queryKey, before);
            toast(tell(error), { tone: "bad" });
          },
        },
      );
    },
    [upstreams, queries, send, say, tell],
  );
}
