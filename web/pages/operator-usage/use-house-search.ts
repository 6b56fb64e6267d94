import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { pruned } from "../../app/pruned-search.ts";
import { type HouseSearch, NARROWING } from "./filter.ts";

type Change = { [K in keyof HouseSearch]?: HouseSearch[K] | undefined };

/** What the page shows, as the address has it. */
export function useHouseSearch() {
  const search = useSearch({ from: "/signed-in/operator/usage" });
  const navigate = useNavigate({ from: "/operator/usage" });
  /** Filtering is no step to go back through; opening a receipt is. */
  const change = useCallback(
    (part: Change, isStep = false) =>
      void navigate({
        search: before => pruned<HouseSearch>({ ...before, ...part }),
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
