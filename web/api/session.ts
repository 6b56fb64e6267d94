import { queryOptions, useQuery } from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";
import { call } from "./call.ts";
import type { Answer } from "./client.ts";
import { isWorthRetrying } from "./query.ts";

export type Session = Answer<"GET /session">;

/** Who is signed in; null where nobody is, which is no error. */
export const sessionQuery = queryOptions({
  queryKey: ["GET /session", null, null] as const,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return await call("GET /session", { signal });
    } catch (error) {
      if (error instanceof ApiError && error.code === "not_signed_in") return null;
      throw error;
    }
  },
  retry: isWorthRetrying,
  staleTime: 30_000,
});

export function useSession() {
  return useQuery(sessionQuery);
}

/** Within a page that only stands for who is signed in. */
export function useAccountName(): string {
  const { data } = useSession();
  return data?.account.email ?? "";
}
