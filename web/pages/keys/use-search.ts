import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { pruned } from "../../app/pruned-search.ts";
import type { keysSearch } from "../../app/search.ts";

export type KeysSearch = ReturnType<typeof keysSearch>;
export type Shown = NonNullable<KeysSearch["show"]>;

/** What the list shows and which dialog is open, as the address has it. */
export function useKeysSearch() {
  const search = useSearch({ from: "/signed-in/keys" });
  const navigate = useNavigate({ from: "/keys" });
  /** Searching and filtering are no steps to go back through. */
  const filter = useCallback(
    (part: { [K in "q" | "state" | "group" | "sort"]?: KeysSearch[K] | undefined }) =>
      void navigate({ search: before => pruned<KeysSearch>({ ...before, ...part }), replace: true }),
    [navigate],
  );
  const show = useCallback(
    (what: Shown, key?: string, client?: string) =>
      void navigate({ search: before => pruned<KeysSearch>({ ...before, show: what, key, client }) }),
    [navigate],
  );
  const close = useCallback(
    () =>
      void navigate({
        search: before =>
          pruned<KeysSearch>({ ...before, show: undefined, key: undefined, client: undefined }),
        replace: true,
      }),
    [navigate],
  );
  return { search, filter, show, close };
}
