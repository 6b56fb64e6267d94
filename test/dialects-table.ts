import type { Dialect } from "../src/domain/usage.ts";
import { DIALECTS } from "./dialects-talk.ts";

/** What is promised between which two dialects: the table in docs/api.md, and what the tests hold the gateway to. */

export const FEATURES = [
  "text",
  "streaming",
  "tools",
  "several tools at once",
  "choice of tools",
  "images",
  "images from tools",
  "documents",
  "reasoning, shown",
  "reasoning, given back",
  "structured output",
  "cache marks",
  "stop reasons",
  "stop sequences",
  "usage",
  "errors",
] as const;
export type Feature = (typeof FEATURES)[number];

export type Cell = { feature: Feature; client: Dialect; upstream: Dialect };

/** A cell that is not carried, or one that is and needs a word. */
type Exception = { feature: Feature; client: readonly Dialect[]; upstream: readonly Dialect[]; text: string };

/** The check of such a cell is that it really is not carried, and that nothing else breaks over it. */
export const NOT_CARRIED: readonly Exception[] = [
  {
    feature: "reasoning, given back",
    client: ["chat"],
    upstream: ["responses", "messages"],
    text: "chat has no field for what a maker signs or encrypts, so the next turn goes without it",
  },
  {
    feature: "cache marks",
    client: ["chat", "messages"],
    upstream: ["responses"],
    text: "responses upstreams are left to cache by themselves; `prompt_cache_key` is passed on",
  },
  {
    feature: "cache marks",
    client: ["responses", "messages"],
    upstream: ["chat"],
    text: "a chat upstream has none; they are passed on where the upstream's name for the model has `claude` in it",
  },
  {
    feature: "stop sequences",
    client: ["responses"],
    upstream: ["chat", "responses", "messages"],
    text: "the responses dialect has none",
  },
  {
    feature: "stop sequences",
    client: ["chat", "messages"],
    upstream: ["responses"],
    text: "a responses upstream has none, so the request is refused and the field named",
  },
];

export const NOTES: readonly Exception[] = [
  {
    feature: "reasoning, shown",
    client: ["chat"],
    upstream: ["responses"],
    text: "chat cannot ask for a summary, so none is asked for; one that comes is shown",
  },
  {
    feature: "stop sequences",
    client: ["messages"],
    upstream: ["chat"],
    text: "which one it was is told only if the upstream tells it, as vLLM does; others end with `end_turn`",
  },
];

export function exceptionOf(list: readonly Exception[], cell: Cell): Exception | undefined {
  return list.find(
    ({ feature, client, upstream }) =>
      feature === cell.feature && client.includes(cell.client) && upstream.includes(cell.upstream),
  );
}

export const CELLS: readonly Cell[] = FEATURES.flatMap(feature =>
  DIALECTS.flatMap(client => DIALECTS.map(upstream => ({ feature, client, upstream }))),
);

/** One table for each kind of client, and the reasons below them. */
export function markdown(): string {
  const reasons: string[] = [];
  const numberOf = (text: string) => {
    if (!reasons.includes(text)) reasons.push(text);
    return reasons.indexOf(text) + 1;
  };
  const mark = (cell: Cell) => {
    const missing = exceptionOf(NOT_CARRIED, cell);
    if (missing !== undefined) return `not carried [${numberOf(missing.text)}]`;
    const note = exceptionOf(NOTES, cell);
    return note === undefined ? "✅" : `✅ [${numberOf(note.text)}]`;
  };
  const tables = DIALECTS.map(client => {
    const rows = FEATURES.map(feature => {
      const marks = DIALECTS.map(upstream => mark({ feature, client, upstream }));
      return `| ${feature} | ${marks.join(" | ")} |`;
    });
    const heading = `| A ${client} client with | ${DIALECTS.map(name => `a ${name} upstream`).join(" | ")} |`;
    return [heading, "|---|---|---|---|", ...rows].join("\n");
  });
  return [...tables, reasons.map((text, place) => `${place + 1}. ${capital(text)}.`).join("\n")].join("\n\n");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
