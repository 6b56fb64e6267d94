import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { pruned } from "../../app/pruned-search.ts";
import type { webhooksSearch } from "../../app/search.ts";

type Search = ReturnType<typeof webhooksSearch>;
type Change = { [K in keyof Search]?: Search[K] | undefined };

/** What the page shows, as the address has it. Opening a panel is a step to go back through. */
export function useWebhooksSearch() {
  const search = useSearch({ from: "/signed-in/operator/webhooks" });
  const navigate = useNavigate({ from: "/operator/webhooks" });
  const change = useCallback(
    (part: Change, isStep = false) =>
      void navigate({
        search: before => pruned<Search>({ ...before, ...part }),
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate],
  );
  return { search, change };
}
