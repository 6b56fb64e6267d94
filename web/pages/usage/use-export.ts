import { useCallback, useEffect, useRef, useState } from "react";
import { openStream } from "../../api/open-stream.ts";
import type { UsageFilter } from "./filter.ts";
import { createRowCounter, type ExportFormat } from "./row-counter.ts";
import { beginSaving, SavingCancelled } from "./save-stream.ts";

export type ExportState = {
  phase: "running" | "done" | "cancelled" | "failed";
  format: ExportFormat;
  file: string;
  rows: number;
  /** About how many there are; null where nobody knows. */
  total: number | null;
  error: unknown;
};

/** Often enough to see it move, seldom enough not to slow it down. */
const TOLD_EVERY_MS = 120;

function fileName(response: Response, format: ExportFormat): string {
  const given = /filename="([\w.-]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
  return given ?? `usage.${format}`;
}

function estimate(response: Response): number | null {
  const given = Number(response.headers.get("x-total-estimate") ?? Number.NaN);
  return Number.isFinite(given) && given >= 0 ? given : null;
}

/** Whose rows: the holder's own, or everybody's. */
export type ExportName = "GET /usage/export" | "GET /operator/usage/export";

type Run = {
  name: ExportName;
  filter: UsageFilter;
  format: ExportFormat;
  signal: AbortSignal;
  tell: (part: Partial<ExportState>) => void;
};

async function run({ name, filter, format, signal, tell }: Run): Promise<void> {
  const response = await openStream(name, { query: { ...filter, format }, signal });
  const file = fileName(response, format);
  const total = estimate(response);
  tell({ file, total });
  const saving = await beginSaving(file, total);
  const count = createRowCounter(format);
  let [rows, toldAt] = [0, 0];
  try {
    const reader = response.body?.getReader();
    for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
      rows = count(piece.value);
      await saving.write(piece.value);
      if (performance.now() - toldAt > TOLD_EVERY_MS) {
        toldAt = performance.now();
        tell({ rows });
      }
    }
    signal.throwIfAborted();
    await saving.close();
    tell({ phase: "done", rows });
  } catch (error) {
    await saving.abort().catch(() => undefined);
    throw error;
  }
}

/** One export at a time, with how far it is. */
export function useExport(name: ExportName, filter: UsageFilter) {
  const [state, setState] = useState<ExportState | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = useCallback(
    (format: ExportFormat) => {
      if (running.current !== null) return;
      const controller = new AbortController();
      running.current = controller;
      const file = `usage.${format}`;
      setState({ phase: "running", format, file, rows: 0, total: null, error: null });
      const tell = (part: Partial<ExportState>) =>
        setState(before => (before === null ? null : { ...before, ...part }));
      run({ name, filter, format, signal: controller.signal, tell })
        .catch((error: unknown) => {
          const isCancelled = controller.signal.aborted || error instanceof SavingCancelled;
          controller.abort();
          tell(isCancelled ? { phase: "cancelled" } : { phase: "failed", error });
        })
        .finally(() => {
          running.current = null;
        });
    },
    [name, filter],
  );
  const cancel = useCallback(() => running.current?.abort(), []);
  const dismiss = useCallback(() => setState(null), []);
  return { state, start, cancel, dismiss };
}
