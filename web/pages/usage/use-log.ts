import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { call } from "../../api/call.ts";
import type { UsageFilter } from "./filter.ts";
import { appendOlder, LIVE_LIMIT, type Log, liveCursor, mergeLive } from "./log.ts";

const PAGE_ROWS = 50;
const LIVE_MS = 3000;

/** The log of a filter: its first page, what comes while somebody looks, and older pages on demand. */
export function useLog(filter: UsageFilter, isLive: boolean) {
  const queries = useQueryClient();
  const key = useMemo(() => ["GET /usage", "log", filter], [filter]);
  const log = useQuery<Log>({
    queryKey: key,
    queryFn: ({ signal }) => call("GET /usage", { query: { ...filter, limit: PAGE_ROWS }, signal }),
    placeholderData: keepPreviousData,
    // Rows move as new ones come, and that compares them by their place; merging keeps them by their id.
    structuralSharing: false,
    // It is kept fresh by following it, not by fetching it anew.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnReconnect: false,
  });
  const isHere = log.data !== undefined && !log.isPlaceholderData;
  const live = useQuery({
    queryKey: ["GET /usage", "live", filter],
    enabled: isLive && isHere,
    refetchInterval: LIVE_MS,
    staleTime: 0,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const cursor = liveCursor(queries.getQueryData<Log>(key) ?? { rows: [], next: null });
      const query = { ...filter, limit: LIVE_LIMIT, ...(cursor === null ? {} : { after: cursor }) };
      const fresh = await call("GET /usage", { query, signal });
      const before = queries.getQueryData<Log>(key);
      if (before === undefined) return null;
      const after = queries.setQueryData<Log>(key, mergeLive(before, cursor, fresh));
      if (after !== before) void queries.invalidateQueries({ queryKey: ["GET /usage/summary"] });
      return after?.rows[0]?.id ?? null;
    },
  });
  const more = useMutation({
    mutationFn: async () => {
      const before = queries.getQueryData<Log>(key)?.next ?? null;
      if (before === null) return;
      const older = await call("GET /usage", { query: { ...filter, limit: PAGE_ROWS, before } });
      queries.setQueryData<Log>(key, now => (now?.next === before ? appendOlder(now, older) : now));
    },
  });
  return { log, isHere, isLost: live.isError, more };
}
