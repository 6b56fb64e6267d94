import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { pruned } from "../../app/pruned-search.ts";
import type { ModelsSearch } from "./model-reads.ts";

type Change = { [K in keyof ModelsSearch]?: ModelsSearch[K] | undefined };

/** What the list shows and what is open beside it, as the address has it. */
export function useModelsSearch() {
  const search = useSearch({ from: "/signed-in/operator/models" });
  const navigate = useNavigate({ from: "/operator/models" });
  /** Filtering is no step to go back through; opening something is. */
  const change = useCallback(
    (part: Change, isStep = false) =>
      void navigate({
        search: before => pruned<ModelsSearch>({ ...before, ...part }),
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate],
  );
  return { search, change };
}
