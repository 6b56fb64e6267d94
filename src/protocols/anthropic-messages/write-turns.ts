import type { ContentBlockParam, TextBlockParam } from "@anthropic-ai/sdk/resources/messages";
import type { Turn } from "../../domain/chat.ts";
import type { Problems } from "../problems.ts";
import type { ClaudeTraits } from "./claude-traits.ts";
import type { Markable } from "./write-cache.ts";
import { isEmptyText, writePart } from "./write-part.ts";

/** The first message must be the user's. Where there is none, this one stands for it. */
const OPENING = "(continue)";

export type WrittenMessage = { role: "user" | "assistant" | "system"; content: ContentBlockParam[] };
export type WrittenTurns = { system: TextBlockParam[]; messages: WrittenMessage[] };

type Said = { role: Turn["role"]; content: ContentBlockParam[] };

export type TurnsWriting = { traits: ClaudeTraits; problems: Problems };

/** Instructions in front go to their own field; later ones stay where they were said. */
export function writeTurns(turns: readonly Turn[], { traits, problems }: TurnsWriting): WrittenTurns {
  const said = turns
    .map(({ role, parts, at }): Said => {
      return { role, content: parts.flatMap(part => writePart(part, { role, at, problems })) };
    })
    .filter(({ role, content }) => role !== "assistant" || !content.every(isEmptyText));
  const begin = said.findIndex(turn => !isInstruction(turn));
  const front = begin < 0 ? said : said.slice(0, begin);
  const system = withoutEmpty([{ role: "system", content: contents(front) }]);
  const runs = inRuns(begin < 0 ? [] : said.slice(begin));
  const messages = withoutEmpty(runs.flatMap(run => writeRun(run, traits)));
  if (messages[0]?.role !== "user") messages.unshift(opening());
  trimPrefill(messages.at(-1));
  return { system: texts(system[0]?.content ?? []), messages };
}

function isInstruction({ role }: Said): boolean {
  return role === "system" || role === "developer";
}

function contents(turns: readonly Said[]): ContentBlockParam[] {
  return turns.flatMap(({ content }) => content);
}

/** The assistant's turns, and all that stands between them, by turns. */
function inRuns(turns: readonly Said[]): Said[][] {
  const runs: Said[][] = [];
  for (const turn of turns) {
    const last = runs.at(-1);
    const isSame = (last?.[0]?.role === "assistant") === (turn.role === "assistant");
    if (last === undefined || !isSame) runs.push([turn]);
    else last.push(turn);
  }
  return runs;
}

function writeRun(run: readonly Said[], traits: ClaudeTraits): WrittenMessage[] {
  if (run[0]?.role === "assistant")
    return [{ role: "assistant", content: thoughtFirst(contents(run), traits) }];
  const user = contents(run.filter(turn => !isInstruction(turn)));
  // Instructions are taken behind what the user says, and before the assistant answers, or not at all.
  if (traits.takesInstructions && !user.every(isEmptyText)) {
    return [
      { role: "user", content: resultsFirst(user) },
      { role: "system", content: contents(run.filter(isInstruction)) },
    ];
  }
  const content = run.flatMap(turn => (isInstruction(turn) ? turn.content.map(asUserText) : turn.content));
  return [{ role: "user", content: resultsFirst(content) }];
}

/** For a model that takes no instructions here: in their place, and told from what the user says. */
function asUserText(block: ContentBlockParam): ContentBlockParam {
  if (block.type !== "text" || isEmptyText(block)) return block;
  return { ...block, text: `<system>\n${block.text}\n</system>` };
}

function resultsFirst(content: readonly ContentBlockParam[]): ContentBlockParam[] {
  const isResult = (block: ContentBlockParam) => block.type === "tool_result";
  return [...content.filter(isResult), ...content.filter(block => !isResult(block))];
}

/** Where the model thinks by a budget it does so before all else; the others may think in between, and that order stands. */
function thoughtFirst(content: ContentBlockParam[], { thinking }: ClaudeTraits): ContentBlockParam[] {
  const [first] = content;
  if (thinking === "adaptive" || first === undefined || isThought(first)) return content;
  return [...content.filter(isThought), ...content.filter(block => !isThought(block))];
}

export function isThought({ type }: ContentBlockParam): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

/** Empty texts are refused. A mark on one goes to what stands before it, which is where the text to be kept ends. */
function withoutEmpty(messages: readonly WrittenMessage[]): WrittenMessage[] {
  const kept: WrittenMessage[] = [];
  let before: Markable | null = null;
  for (const { role, content } of messages) {
    const blocks: ContentBlockParam[] = [];
    for (const block of content) {
      const mark = "cache_control" in block ? block.cache_control : null;
      if (isEmptyText(block)) {
        if (before !== null && mark) before.cache_control ??= mark;
        continue;
      }
      blocks.push(block);
      before = isMarkable(block) ? block : null;
    }
    const last = kept.at(-1);
    if (blocks.length > 0 && last?.role === role) last.content.push(...blocks);
    else if (blocks.length > 0) kept.push({ role, content: blocks });
  }
  return kept;
}

/** Thoughts have no place for a mark. */
function isMarkable(block: ContentBlockParam): block is ContentBlockParam & Markable {
  return !isThought(block);
}

function opening(): WrittenMessage {
  return { role: "user", content: [{ type: "text", text: OPENING }] };
}

/** An answer that was begun for the model must not end in white space. */
function trimPrefill(last: WrittenMessage | undefined): void {
  const block = last?.role === "assistant" ? last.content.at(-1) : undefined;
  if (block?.type === "text") block.text = block.text.trimEnd();
}

function texts(content: readonly ContentBlockParam[]): TextBlockParam[] {
  return content.filter(block => block.type === "text");
}
