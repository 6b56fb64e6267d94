import { useQuery } from "@tanstack/react-query";
import { queryOf } from "./query.ts";

/** Name, addresses and ways to sign in of this house; it hardly ever changes. */
export const houseQuery = { ...queryOf("GET /house"), staleTime: 5 * 60_000 };

export function useHouse() {
  return useQuery(houseQuery);
}
