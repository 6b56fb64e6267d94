import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { pruned } from "../../app/pruned-search.ts";
import type { upstreamsSearch } from "../../app/search.ts";
import type { Upstream } from "./upstream-reads.ts";
import { stateOf } from "./upstream-state.ts";

export type UpstreamsSearch = ReturnType<typeof upstreamsSearch>;
type Change = { [K in keyof UpstreamsSearch]?: UpstreamsSearch[K] | undefined };

/** What the list shows, whose panel is open and whether one is being added, as the address has it. */
export function useUpstreamsSearch() {
  const search = useSearch({ from: "/signed-in/operator/upstreams" });
  const navigate = useNavigate({ from: "/operator/upstreams" });
  /** Filtering is no step to go back through; opening something is. */
  const change = useCallback(
    (part: Change, isStep = false) =>
      void navigate({
        search: before => pruned<UpstreamsSearch>({ ...before, ...part }),
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate],
  );
  return { search, change };
}

export function isNarrowed({ q, state }: UpstreamsSearch): boolean {
  return q !== undefined || state !== undefined;
}

/** By name, kind, address or one of its models. */
export function matching(upstreams: readonly Upstream[], { q = "", state }: UpstreamsSearch): Upstream[] {
  const text = q.trim().toLowerCase();
  return upstreams.filter(one => {
    const said = [one.name, one.kind, one.base_url ?? "", ...one.models.map(({ model }) => model)];
    return (
      said.some(part => part.toLowerCase().includes(text)) && (state === undefined || stateOf(one) === state)
    );
  });
}
