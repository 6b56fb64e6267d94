import type { DemoPart } from "./demo-parts.ts";
import { demoSeal } from "./demo-seal.ts";

/** How the items of one answer are written. */
export type ItemStyle = {
  /** What the ids of the items are made of. */
  digest: string;
  seed: () => string;
  showsThoughts: boolean;
  sealsThoughts: boolean;
};

export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** An event without its number. */
export type ItemEvent = { type: string; [field: string]: unknown };

/** An output item with the text it has so far; one that has just been added has no parts yet. */
export function itemOf(part: DemoPart, as: { style: ItemStyle; text: string; status: ItemStatus }): object {
  const { style, text, status } = as;
  const id = itemId(part, style);
  const isNew = status === "in_progress";
  switch (part.kind) {
    case "thought":
      return {
        id,
        type: "reasoning",
        ...(style.sealsThoughts ? { encrypted_content: sealOf(style, text) } : {}),
        summary: style.showsThoughts && !isNew ? [{ type: "summary_text", text }] : [],
      };
    case "text":
    case "refusal":
      return {
        id,
        type: "message",
        status,
        content: isNew ? [] : [contentPart(part, text)],
        role: "assistant",
      };
    case "call": {
      const { id: call, tool } = part.call;
      const base = { call_id: `call_${call}`, name: tool.name };
      const named = tool.namespace === null ? base : { ...base, namespace: tool.namespace };
      if (tool.kind === "custom") return { id, type: "custom_tool_call", status, input: text, ...named };
      return { id, type: "function_call", status, arguments: text, ...named };
    }
  }
}

function itemId(part: DemoPart, style: ItemStyle): string {
  return `${idBeginning(part)}_${style.digest}${part.place.toString().padStart(2, "0")}`;
}

function idBeginning(part: DemoPart): string {
  switch (part.kind) {
    case "thought":
      return "rs";
    case "text":
    case "refusal":
      return "msg";
    case "call":
      return part.call.tool.kind === "custom" ? "ctc" : "fc";
  }
}

function sealOf(style: ItemStyle, text: string): string {
  return demoSeal({ kind: "encrypted", seed: style.seed(), text });
}

function contentPart(part: { kind: "text" | "refusal" }, text: string): object {
  if (part.kind === "refusal") return { type: "refusal", refusal: text };
  return { type: "output_text", annotations: [], logprobs: [], text };
}

/** Where an event belongs. */
function placeOf(part: DemoPart, style: ItemStyle): { item_id: string; output_index: number } {
  return { item_id: itemId(part, style), output_index: part.place };
}

export function openEvents(part: DemoPart, style: ItemStyle): ItemEvent[] {
  const item = itemOf(part, { style, text: "", status: "in_progress" });
  const added: ItemEvent = { type: "response.output_item.added", output_index: part.place, item };
  const place = placeOf(part, style);
  switch (part.kind) {
    case "thought": {
      const summary = { type: "summary_text", text: "" };
      const opened = {
        type: "response.reasoning_summary_part.added",
        ...place,
        summary_index: 0,
        part: summary,
      };
      return style.showsThoughts ? [added, opened] : [added];
    }
    case "text":
    case "refusal": {
      const opened = { type: "response.content_part.added", ...place, content_index: 0 };
      return [added, { ...opened, part: contentPart(part, "") }];
    }
    case "call":
      return [added];
  }
}

/** Null where nothing is told of the token. */
export function tokenEvent(part: DemoPart, as: { style: ItemStyle; token: string }): ItemEvent | null {
  const place = placeOf(part, as.style);
  const delta = as.token;
  switch (part.kind) {
    case "thought":
      if (!as.style.showsThoughts) return null;
      return { type: "response.reasoning_summary_text.delta", ...place, summary_index: 0, delta };
    case "text":
      return { type: "response.output_text.delta", ...place, content_index: 0, delta, logprobs: [] };
    case "refusal":
      return { type: "response.refusal.delta", ...place, content_index: 0, delta };
    case "call":
      return { type: `response.${inputName(part)}.delta`, ...place, delta };
  }
}

function inputName(part: DemoPart & { kind: "call" }): string {
  return part.call.tool.kind === "custom" ? "custom_tool_call_input" : "function_call_arguments";
}

export function closeEvents(
  part: DemoPart,
  as: { style: ItemStyle; text: string; item: object },
): ItemEvent[] {
  const done: ItemEvent = { type: "response.output_item.done", output_index: part.place, item: as.item };
  const place = placeOf(part, as.style);
  const { text } = as;
  switch (part.kind) {
    case "thought": {
      if (!as.style.showsThoughts) return [done];
      const summary = { ...place, summary_index: 0 };
      return [
        { type: "response.reasoning_summary_text.done", ...summary, text },
        { type: "response.reasoning_summary_part.done", ...summary, part: { type: "summary_text", text } },
        done,
      ];
    }
    case "text":
    case "refusal": {
      const content = { ...place, content_index: 0 };
      const told =
        part.kind === "text"
          ? { type: "response.output_text.done", ...content, text, logprobs: [] }
          : { type: "response.refusal.done", ...content, refusal: text };
      const closed = { type: "response.content_part.done", ...content, part: contentPart(part, text) };
      return [told, closed, done];
    }
    case "call": {
      const given = part.call.tool.kind === "custom" ? { input: text } : { arguments: text };
      return [{ type: `response.${inputName(part)}.done`, ...place, ...given }, done];
    }
  }
}
