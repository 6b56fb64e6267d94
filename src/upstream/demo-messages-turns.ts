import { isObject } from "./demo-json.ts";
import { type Block, type MessagesRole, readBlock, together } from "./demo-messages-blocks.ts";
import { readMark, type Stretch } from "./demo-messages-cache.ts";
import { type DemoMessage, messageTokens } from "./demo-plan.ts";
import type { Refuse } from "./demo-task.ts";
import { NO_MEDIA } from "./demo-text.ts";

/** One message of the request, read. */
export type Turn = {
  role: MessagesRole;
  path: string;
  blocks: readonly Block[];
  stretches: readonly Stretch[];
};

const ROLES: readonly MessagesRole[] = ["user", "assistant", "system"];
const TOKENS_PER_TURN = 4;

export function readTurns(messages: unknown, refuse: Refuse): Turn[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    refuse("messages", "at least one message is required");
    return [];
  }
  const turns = messages.map((message: unknown, index) =>
    readTurn({ message, path: `messages.${index}`, isLast: index === messages.length - 1 }, refuse),
  );
  checkResults(turns, refuse);
  return turns;
}

function readTurn(at: { message: unknown; path: string; isLast: boolean }, refuse: Refuse): Turn {
  const message = isObject(at.message) ? at.message : {};
  const role = ROLES.find(known => known === message["role"]);
  if (role === undefined) refuse(`${at.path}.role`, `must be one of ${ROLES.join(", ")}`);
  const content = { content: message["content"], path: `${at.path}.content`, within: role ?? "user" };
  const { blocks, stretches } = readContent(content, refuse);
  const isPrefill = at.isLast && role === "assistant";
  if (blocks.length === 0 && !isPrefill) refuse(at.path, "a message must have content");
  const last = blocks.at(-1);
  if (isPrefill && last?.kind === "said" && /\s$/.test(last.text)) {
    refuse(at.path, "the last message of the assistant must not end with a blank");
  }
  return { role: role ?? "user", path: at.path, blocks, stretches };
}

/** A message's content, or the system prompt: text, or blocks. */
export function readContent(
  at: { content: unknown; path: string; within: MessagesRole },
  refuse: Refuse,
): { blocks: Block[]; stretches: Stretch[] } {
  const { content, path, within } = at;
  if (typeof content === "string") {
    const blocks: Block[] = content === "" ? [] : [{ kind: "said", text: content, media: NO_MEDIA }];
    return { blocks, stretches: [{ tokens: TOKENS_PER_TURN + tokensOf(blocks), mark: null }] };
  }
  if (!Array.isArray(content)) {
    refuse(path, "must be text or a list of blocks");
    return { blocks: [], stretches: [] };
  }
  const blocks: Block[] = [];
  const stretches: Stretch[] = [{ tokens: TOKENS_PER_TURN, mark: null }];
  for (const [index, value] of content.entries()) {
    const place = `${path}.${index}`;
    const block = readBlock({ value, path: place, within }, refuse);
    blocks.push(block);
    stretches.push({ tokens: tokensOf([block]), mark: readMark({ holder: value, path: place }, refuse) });
  }
  return { blocks, stretches };
}

function tokensOf(blocks: readonly Block[]): number {
  let tokens = 0;
  for (const block of blocks) {
    switch (block.kind) {
      case "said":
      case "result":
        tokens += messageTokens({ ...block, calls: [] });
        break;
      case "call":
        tokens += messageTokens({ text: "", media: NO_MEDIA, calls: [block] });
        break;
      case "thought":
      case "other":
        break;
    }
  }
  return tokens;
}

/** Turns of one role that follow each other count as one; instructions between them are none. */
function merged(turns: readonly Turn[]): { role: MessagesRole; path: string; blocks: Block[] }[] {
  const joined: { role: MessagesRole; path: string; blocks: Block[] }[] = [];
  for (const turn of turns) {
    if (turn.role === "system") continue;
    const last = joined.at(-1);
    if (last?.role === turn.role) last.blocks.push(...turn.blocks);
    else joined.push({ role: turn.role, path: turn.path, blocks: [...turn.blocks] });
  }
  return joined;
}

/** Every call is answered in the turn after it, and nothing is answered that was not called. */
function checkResults(turns: readonly Turn[], refuse: Refuse): void {
  let open = new Map<string, string>();
  for (const { role, blocks } of merged(turns)) {
    if (role === "assistant") open = new Map();
    for (const block of blocks) {
      if (block.kind === "call") open.set(block.id, block.path);
      if (block.kind !== "result" || open.delete(block.id)) continue;
      refuse(block.path, `the \`tool_use_id\` ${block.id} is not of a \`tool_use\` in the turn before`);
    }
    if (role === "user") refuseOpen(open, refuse);
  }
  refuseOpen(open, refuse);
}

function refuseOpen(open: ReadonlyMap<string, string>, refuse: Refuse): void {
  for (const [id, path] of open) refuse(path, `the \`tool_use\` ${id} has no \`tool_result\` after it`);
}

/** The conversation as the demo reads it: a tool's result is a message of its own, after what the user said with it. */
export function conversation(turns: readonly Turn[]): DemoMessage[] {
  return turns.flatMap(({ role, blocks }): DemoMessage[] => {
    const calls = blocks.filter(block => block.kind === "call");
    const results = blocks.filter(block => block.kind === "result");
    const said: DemoMessage = {
      role: role === "system" ? "instruction" : role,
      ...together(blocks),
      calls: calls.map(call => ({ name: call.name, arguments: call.arguments })),
      isError: false,
    };
    const isSilent = role === "user" && results.length === blocks.length;
    const answers = results.map(
      ({ text, media, isError }): DemoMessage => ({ role: "tool", text, media, calls: [], isError }),
    );
    return isSilent ? answers : [said, ...answers];
  });
}

/** Where the last words of the assistant begin, if they call a tool and do not begin with a thought. */
export function callsWithoutThought(turns: readonly Turn[]): string | null {
  const last = merged(turns).findLast(turn => turn.role === "assistant");
  if (last === undefined || !last.blocks.some(block => block.kind === "call")) return null;
  return last.blocks[0]?.kind === "thought" ? null : last.path;
}
