import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { pruned } from "../../app/pruned-search.ts";
import type { GroupsSearch } from "./group-reads.ts";

type Change = { [K in keyof GroupsSearch]?: GroupsSearch[K] | undefined };

/** What the list shows and which group is edited, as the address has it. */
export function useGroupsSearch() {
  const search = useSearch({ from: "/signed-in/operator/groups" });
  const navigate = useNavigate({ from: "/operator/groups" });
  /** Filtering is no step to go back through; opening something is. */
  const change = useCallback(
    (part: Change, isStep = false) =>
      void navigate({
        search: before => pruned<GroupsSearch>({ ...before, ...part }),
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate],
  );
  return { search, change };
}
