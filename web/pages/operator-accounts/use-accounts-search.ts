import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { pruned } from "../../app/pruned-search.ts";
import type { accountsSearch } from "../../app/search.ts";
import type { Person } from "./account-reads.ts";

export type AccountsSearch = ReturnType<typeof accountsSearch>;
type Change = { [K in keyof AccountsSearch]?: AccountsSearch[K] | undefined };

/** What the list shows and whose panel is open, as the address has it. */
export function useAccountsSearch() {
  const search = useSearch({ from: "/signed-in/operator/accounts" });
  const navigate = useNavigate({ from: "/operator/accounts" });
  /** Filtering is no step to go back through; opening an account is. */
  const change = useCallback(
    (part: Change, isStep = false) =>
      void navigate({
        search: before => pruned<AccountsSearch>({ ...before, ...part }),
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate],
  );
  return { search, change };
}

export function isNarrowed({ q, role, state }: AccountsSearch): boolean {
  return q !== undefined || role !== undefined || state !== undefined;
}

export function matching(people: readonly Person[], { q = "", role, state }: AccountsSearch): Person[] {
  const text = q.trim().toLowerCase();
  return people.filter(
    person =>
      (person.email.toLowerCase().includes(text) || person.id === q.trim()) &&
      (role === undefined || person.role === role) &&
      (state === undefined || person.enabled === (state === "enabled")),
  );
}
