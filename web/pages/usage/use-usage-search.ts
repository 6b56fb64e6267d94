import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { pruned } from "../../app/pruned-search.ts";
import { NARROWING, type UsageSearch } from "./filter.ts";

type Change = { [K in keyof UsageSearch]?: UsageSearch[K] | undefined };

/** What the page shows, as the address has it. */
export function useUsageSearch() {
  const search = useSearch({ from: "/signed-in/usage" });
  const navigate = useNavigate({ from: "/usage" });
  /** Filtering is no step to go back through; opening a receipt is. */
  const change = useCallback(
    (part: Change, isStep = false) =>
      void navigate({
        search: before => pruned<UsageSearch>({ ...before, ...part }),
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate],
  );
  const clear = useCallback(
    () => change(Object.fromEntries(NARROWING.map(name => [name, undefined]))),
    [change],
  );
  return { search, change, clear };
}
