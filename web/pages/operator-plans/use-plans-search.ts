import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { pruned } from "../../app/pruned-search.ts";
import type { PlansSearch } from "./plan-reads.ts";

type Change = { [K in keyof PlansSearch]?: PlansSearch[K] | undefined };

/** Which plan is open, as the address has it. */
export function usePlansSearch() {
  const search = useSearch({ from: "/signed-in/operator/plans" });
  const navigate = useNavigate({ from: "/operator/plans" });
  const change = useCallback(
    (part: Change, isStep = false) =>
      void navigate({
        search: before => pruned<PlansSearch>({ ...before, ...part }),
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate],
  );
  return { search, change };
}
