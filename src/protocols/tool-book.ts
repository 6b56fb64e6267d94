import type {
  Part,
  PartStart,
  Prompt,
  Reply,
  ReplyEvent,
  ReplyPart,
  Tool,
  ToolCallPart,
  ToolChoice,
  Turn,
} from "../domain/chat.ts";
import { customAsFunction, unwrapped, wrapped } from "./custom-tool.ts";
import { type NameRules, type ToolName, ToolNames } from "./tool-names.ts";

/** What an upstream takes. */
export type ToolRules = NameRules & { custom: boolean };

/**
 * Gives the tools of an answer the names and forms back under which its client knows them. One book is for one
 * answer at a time.
 */
export type ToolBook = {
  /** Nothing was rewritten, so nothing needs to be given back. */
  readonly isBlank: boolean;
  restoreReply: (reply: Reply) => Reply;
  restore: (event: ReplyEvent) => ReplyEvent[];
};

export const noToolBook: ToolBook = {
  isBlank: true,
  restoreReply: reply => reply,
  restore: event => [event],
};

/** The prompt as an upstream with these rules can take it. */
export function toolBook(prompt: Prompt, rules: ToolRules): { prompt: Prompt; book: ToolBook } {
  const declared = prompt.tools.flatMap(toolName);
  const called = prompt.turns.flatMap(({ parts }) => parts.flatMap(callName));
  const all = [...declared, ...called];
  const names = new ToolNames(rules, all);
  const stays = (tool: ToolName) =>
    names.written(tool) === tool.name &&
    (tool.namespace === null || rules.namespaces) &&
    (tool.tool === "function" || rules.custom);
  if (all.every(stays)) return { prompt, book: noToolBook };
  const writing: Writing = { rules, names, declared };
  const rewritten: Prompt = {
    ...prompt,
    tools: prompt.tools.map(tool => writtenTool(tool, writing)),
    toolChoice: prompt.toolChoice === null ? null : writtenChoice(prompt.toolChoice, writing),
    turns: prompt.turns.map(turn => writtenTurn(turn, writing)),
  };
  return { prompt: rewritten, book: new WrittenBook(names) };
}

type Writing = { rules: ToolRules; names: ToolNames; declared: readonly ToolName[] };

function toolName(tool: Tool): ToolName[] {
  if (tool.kind === "hosted") return [];
  const namespace = tool.kind === "function" ? tool.namespace : null;
  return [{ name: tool.name, namespace, tool: tool.kind }];
}

function callName(part: Part): ToolName[] {
  return part.kind === "tool-call" ? [nameOfCall(part)] : [];
}

function nameOfCall({ name, namespace, tool }: ToolName): ToolName {
  return { name, namespace, tool };
}

function writtenTool(tool: Tool, { rules, names }: Writing): Tool {
  const [known] = toolName(tool);
  if (known === undefined || tool.kind === "hosted") return tool;
  const name = names.written(known);
  if (tool.kind === "custom") return rules.custom ? { ...tool, name } : customAsFunction({ ...tool, name });
  return { ...tool, name, namespace: rules.namespaces ? tool.namespace : null };
}

function writtenChoice(choice: ToolChoice, { names, declared }: Writing): ToolChoice {
  const written = (name: string) => {
    const meant = declared.find(tool => tool.name === name && tool.namespace === null);
    const tool = meant ?? declared.find(other => other.name === name);
    return tool === undefined ? name : names.written(tool);
  };
  switch (choice.kind) {
    case "named":
      return { kind: "named", name: written(choice.name) };
    case "allowed":
      return { ...choice, names: choice.names.map(written) };
    default:
      return choice;
  }
}

function writtenTurn(turn: Turn, writing: Writing): Turn {
  if (!turn.parts.some(part => part.kind === "tool-call")) return turn;
  const parts = turn.parts.map(part => (part.kind === "tool-call" ? writtenCall(part, writing) : part));
  return { ...turn, parts };
}

function writtenCall(call: ToolCallPart, { rules, names }: Writing): ToolCallPart {
  const isWrapped = call.tool === "custom" && !rules.custom;
  return {
    ...call,
    name: names.written(nameOfCall(call)),
    namespace: rules.namespaces ? call.namespace : null,
    tool: isWrapped ? "function" : call.tool,
    input: isWrapped ? wrapped(call.input) : call.input,
  };
}

class WrittenBook implements ToolBook {
  readonly isBlank = false;
  readonly #names: ToolNames;
  /** What has come of the input of custom tools, by the part that it belongs to. */
  readonly #inputs = new Map<number, string>();

  constructor(names: ToolNames) {
    this.#names = names;
  }

  restoreReply(reply: Reply): Reply {
    return { ...reply, parts: reply.parts.map(part => this.#restoredPart(part)) };
  }

  restore(event: ReplyEvent): ReplyEvent[] {
    switch (event.kind) {
      case "start":
        this.#inputs.clear();
        return [event];
      case "part-start":
        return [{ ...event, part: this.#restoredStart(event.index, event.part) }];
      case "part-delta": {
        const input = this.#inputs.get(event.index);
        if (input === undefined) return [event];
        this.#inputs.set(event.index, input + event.text);
        return [];
      }
      case "part-end":
        return this.#ended(event.index, event);
      default:
        return [event];
    }
  }

  #restoredPart(part: ReplyPart): ReplyPart {
    if (part.kind !== "tool-call") return part;
    const known = this.#names.known(part.name, part.namespace);
    if (known === undefined) return part;
    const isWrapped = known.tool === "custom" && part.tool === "function";
    return { ...part, ...known, input: isWrapped ? unwrapped(part.input) : part.input };
  }

  #restoredStart(index: number, part: PartStart): PartStart {
    if (part.kind !== "tool-call") return part;
    const known = this.#names.known(part.name, part.namespace);
    if (known === undefined) return part;
    if (known.tool === "custom" && part.tool === "function") this.#inputs.set(index, "");
    return { ...part, ...known };
  }

  /** Only whole arguments tell what stands in them. */
  #ended(index: number, end: ReplyEvent): ReplyEvent[] {
    const input = this.#inputs.get(index);
    if (input === undefined) return [end];
    this.#inputs.delete(index);
    const text = unwrapped(input);
    return text === "" ? [end] : [{ kind: "part-delta", index, text }, end];
  }
}
