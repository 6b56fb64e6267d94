import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Name } from "../../api/client.ts";
import type { UsageFilter } from "./filter.ts";
import { appendOlder, LIVE_LIMIT, type Log, liveCursor, mergeLive, type Row } from "./log.ts";

const PAGE_ROWS = 50;
const LIVE_MS = 3000;

type Page = { limit: number; before?: string; after?: string };

/** Whose log it is: the holder's own, or that of the whole house. */
export type LogSource<R extends Row, F extends UsageFilter> = {
  /** What it is kept under. */
  name: Name;
  /** What has to be fetched anew when a row has come. */
  summary: Name;
  read: (query: F & Page, signal?: AbortSignal) => Promise<Log<R>>;
};

/** The log of a filter: its first page, what comes while somebody looks, and older pages on demand. */
export function useLog<R extends Row, F extends UsageFilter>(
  { name, summary, read }: LogSource<R, F>,
  { filter, isLive }: { filter: F; isLive: boolean },
) {
  const queries = useQueryClient();
  const key = useMemo(() => [name, "log", filter], [name, filter]);
  const log = useQuery<Log<R>>({
    queryKey: key,
    queryFn: ({ signal }) => read({ ...filter, limit: PAGE_ROWS }, signal),
    placeholderData: keepPreviousData,
    // Rows move as new ones come, and that compares them by their place; merging keeps them by their id.
    structuralSharing: false,
    // It is kept fresh by following it, not by fetching it anew.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });
  const isHere = log.data !== undefined && !log.isPlaceholderData;
  const live = useQuery({
    queryKey: [name, "live", filter],
    enabled: isLive && isHere,
    refetchInterval: LIVE_MS,
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const cursor = liveCursor(queries.getQueryData<Log<R>>(key) ?? { rows: [], next: null });
      const page = { limit: LIVE_LIMIT, ...(cursor === null ? {} : { after: cursor }) };
      const fresh = await read({ ...filter, ...page }, signal);
      const before = queries.getQueryData<Log<R>>(key);
      if (before === undefined) return null;
      const after = queries.setQueryData<Log<R>>(key, mergeLive(before, cursor, fresh));
      if (after !== before) void queries.invalidateQueries({ queryKey: [summary] });
      return after?.rows[0]?.id ?? null;
    },
  });
  const more = useMutation({
    mutationFn: async () => {
      const before = queries.getQueryData<Log<R>>(key)?.next ?? null;
      if (before === null) return;
      const older = await read({ ...filter, limit: PAGE_ROWS, before });
      queries.setQueryData<Log<R>>(key, now => (now?.next === before ? appendOlder(now, older) : now));
    },
  });
  return { log, isHere, isLost: live.isError, more };
}
