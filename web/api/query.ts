import {
  QueryClient,
  queryOptions,
  type UseMutationResult,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { ApiError } from "./api-error.ts";
import { call } from "./call.ts";
import type { Answer, Given, Name, Rest } from "./client.ts";

const RETRIES_MAX = 2;

/** Only what may pass by itself is tried again: a broken connection, a server that is away. */
export function isWorthRetrying(count: number, error: unknown): boolean {
  if (count >= RETRIES_MAX) return false;
  return !(error instanceof ApiError) || error.code === "lost" || error.code === "unavailable";
}

export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: isWorthRetrying,
        retryDelay: attempt => Math.min(500 * 2 ** attempt, 4000),
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        // A query that waits for the network says nothing; one that fails says why.
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

type Readable = Extract<Name, `GET ${string}`>;

/** Queries are kept under the endpoint's name, then what it was asked. */
export function queryOf<N extends Readable>(name: N, ...rest: Rest<N>) {
  const given = rest[0] as { params?: unknown; query?: unknown } | undefined;
  return queryOptions({
    queryKey: [name, given?.params ?? null, given?.query ?? null] as const,
    queryFn: ({ signal }): Promise<Answer<N>> =>
      call(name, ...([{ ...given, signal }] as unknown as Rest<N>)),
  });
}

/** `const keys = useApi("GET /keys")`: data, error, isPending, refetch. */
export function useApi<N extends Readable>(name: N, ...rest: Rest<N>) {
  return useQuery(queryOf(name, ...rest));
}

/**
 * A call that changes something: `const remove = useCall("DELETE /keys/{id}", { refresh: ["GET /keys"] })`, then
 * `remove.mutate({ params: { id } })`. What it refreshes is fetched anew, and may not be there yet when `onDone` is told.
 */
export function useCall<N extends Name>(
  name: N,
  then: { refresh?: readonly Name[]; onDone?: (answer: Answer<N>, given: Given<N>) => void } = {},
): UseMutationResult<Answer<N>, Error, Given<N>> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (given: Given<N>): Promise<Answer<N>> => call(name, ...([given] as unknown as Rest<N>)),
    onSuccess: async (answer, given) => {
      for (const other of then.refresh ?? []) void queries.invalidateQueries({ queryKey: [other] });
      then.onDone?.(answer, given);
    },
  });
}
