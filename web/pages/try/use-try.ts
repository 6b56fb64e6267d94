import { useCallback, useEffect, useRef, useState } from "react";
import { openStream } from "../../api/open-stream.ts";
import { createStreamReader, readWhole, refusalOf, type Said } from "./answer.ts";
import type { Dialect } from "./draft.ts";

export type Asked = { key: string; dialect: Dialect; body: string };

export type Run = {
  asked: Asked;
  phase: "waiting" | "running" | "done" | "stopped" | "failed";
  status: number | null;
  requestId: string | null;
  headers: readonly (readonly [string, string])[];
  /** As it came, whole. */
  raw: string;
  said: Said;
  /** The gateway's or the upstream's sentence, where it refused. */
  refusal: string | null;
  firstByteMs: number | null;
  durationMs: number | null;
  error: unknown;
};

const BEGUN = {
  phase: "waiting",
  status: null,
  requestId: null,
  headers: [],
  raw: "",
  said: { text: "", thinking: "" },
  refusal: null,
  firstByteMs: null,
  durationMs: null,
  error: null,
} as const;

type Tell = (part: Partial<Run>) => void;

async function follow(response: Response, asked: Asked, tell: Tell, began: number): Promise<void> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
  const read = isStream ? createStreamReader(asked.dialect) : null;
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  let raw = "";
  for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) {
    const text = decoder.decode(piece.value, { stream: true });
    if (raw === "") tell({ firstByteMs: performance.now() - began });
    raw += text;
    tell({ raw, ...(read === null ? {} : { said: read(text) }) });
  }
  if (read !== null) return;
  const said = readWhole(raw, asked.dialect);
  tell({
    ...(said === null ? {} : { said }),
    ...(response.ok ? {} : { refusal: refusalOf(raw) ?? raw }),
  });
}

/** One request at a time; another one ends it, and so does leaving the page. */
export function useTry() {
  const [run, setRun] = useState<Run | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const send = useCallback(async (asked: Asked) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const began = performance.now();
    const tell: Tell = part => {
      if (running.current === controller) setRun(before => (before === null ? null : { ...before, ...part }));
    };
    setRun({ ...BEGUN, asked });
    try {
      const response = await openStream("POST /try", { body: asked, signal: controller.signal });
      tell({
        phase: "running",
        status: response.status,
        requestId: response.headers.get("x-request-id"),
        headers: [...response.headers],
      });
      await follow(response, asked, tell, began);
      tell({ phase: "done", durationMs: performance.now() - began });
    } catch (error) {
      const durationMs = performance.now() - began;
      tell(
        controller.signal.aborted ? { phase: "stopped", durationMs } : { phase: "failed", durationMs, error },
      );
    }
  }, []);
  const stop = useCallback(() => running.current?.abort(), []);
  return { run, send, stop };
}
