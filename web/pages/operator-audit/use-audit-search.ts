import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { pruned } from "../../app/pruned-search.ts";
import type { AuditSearch } from "./filter.ts";

type Change = { [K in keyof AuditSearch]?: AuditSearch[K] | undefined };

/** What is shown, as the address has it. */
export function useAuditSearch() {
  const search = useSearch({ from: "/signed-in/operator/audit" });
  const navigate = useNavigate({ from: "/operator/audit" });
  const change = useCallback(
    (part: Change, isStep = false) =>
      void navigate({
        search: before => pruned<AuditSearch>({ ...before, ...part }),
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate],
  );
  const clear = useCallback(
    () =>
      void navigate({
        search: ({ entry }) => pruned<AuditSearch>({ entry }),
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  return { search, change, clear };
}
