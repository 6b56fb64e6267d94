import { useQueryClient } from "@tanstack/react-query";
import { queryOf, useCall } from "../../api/query.ts";
import { ACCOUNT_PARTS, type Account } from "./account.ts";

/** Changes one's own account; what it is then is on the page before it is read anew. */
export function useAccountChange(onDone: (changed: Account) => void) {
  const queries = useQueryClient();
  return useCall("PATCH /account", {
    refresh: ACCOUNT_PARTS,
    onDone: changed => {
      queries.setQueryData(queryOf("GET /account").queryKey, changed);
      onDone(changed);
    },
  });
}
