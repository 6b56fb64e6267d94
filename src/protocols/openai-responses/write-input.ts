import type {
  EasyInputMessage,
  ResponseCustomToolCall,
  ResponseFunctionToolCall,
  ResponseInputContent,
  ResponseInputItem,
  ResponseInputText,
  ResponseOutputRefusal,
  ResponseOutputText,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import type { Part, ReasoningPart, ToolCallPart, ToolResultPart, Turn } from "../../domain/chat.ts";
import { Problems } from "../problems.ts";
import type { Problem } from "../protocol.ts";
import { toCallId } from "../tool-id.ts";
import { argumentsOf } from "./read-item.ts";
import { type Written, writeDocument, writeImage } from "./write-content.ts";

/** As they are sent: nothing is stored, so no item has an id of its own. */
type SentReasoning = Omit<ResponseReasoningItem, "id">;
type SaidPart = Pick<ResponseOutputText, "type" | "text" | "annotations"> | ResponseOutputRefusal;
type SentMessage =
  | (Omit<EasyInputMessage, "content" | "role"> & {
      role: "user" | "developer";
      content: ResponseInputContent[];
    })
  | { type: "message"; role: "assistant"; content: SaidPart[] };
export type SentItem = ResponseInputItem | SentReasoning | SentMessage;

export type WrittenInput = { items: SentItem[] } | { problem: Problem };

export function writeInput(turns: readonly Turn[]): WrittenInput {
  const writer = new InputWriter();
  for (const turn of turns) writer.write(turn);
  const { items, problems } = writer;
  return problems.first === null ? { items } : { problem: problems.first };
}

class InputWriter {
  readonly items: SentItem[] = [];
  readonly problems = new Problems();
  /** The calls of custom tools, whose outputs have a type of their own. */
  readonly #customCalls = new Set<string>();
  #said: SaidPart[] = [];
  #heard: ResponseInputContent[] = [];

  write(turn: Turn): void {
    for (const part of turn.parts) this.#part(part, turn);
    this.#flush(turn);
    if (turn.role === "assistant") this.#dropLooseReasoning();
  }

  #part(part: Part, turn: Turn): void {
    switch (part.kind) {
      case "text":
        if (part.text !== "") this.#text(part.text, turn);
        break;
      case "refusal":
        if (turn.role === "assistant") this.#said.push({ type: "refusal", refusal: part.text });
        else this.#text(part.text, turn);
        break;
      case "image":
        this.#media(writeImage(part), turn);
        break;
      case "document":
        this.#media(writeDocument(part), turn);
        break;
      case "audio":
        this.#fault(turn, "has audio, which the upstream of this model does not take");
        break;
      case "reasoning":
        this.#item(writeReasoning(part), turn);
        break;
      case "tool-call":
        if (part.tool === "custom") this.#customCalls.add(part.id);
        this.#item(writeCall(part), turn);
        break;
      case "tool-result":
        this.#item(this.#result(part, turn), turn);
        break;
      case "foreign":
        break;
      default:
        part satisfies never;
    }
  }

  #text(text: string, { role }: Turn): void {
    if (role === "assistant") this.#said.push({ type: "output_text", text, annotations: [] });
    else this.#heard.push({ type: "input_text", text });
  }

  #media(written: Written, turn: Turn): void {
    if ("clause" in written) this.#fault(turn, written.clause);
    else if (turn.role === "assistant") this.#fault(turn, "has an image or a file that the assistant said");
    else this.#heard.push(written.content);
  }

  #result({ id, parts, isError }: ToolResultPart, turn: Turn): SentItem {
    const content = parts.flatMap(part => {
      const written = part.kind === "text" ? textContent(part.text) : media(part);
      if ("content" in written) return [written.content];
      this.#fault(turn, written.clause);
      return [];
    });
    const told = isError ? asError(content) : content;
    const output = told.every(isText) ? told.map(({ text }) => text).join("\n") : told;
    const call_id = toCallId(id);
    return this.#customCalls.has(id)
      ? { type: "custom_tool_call_output", call_id, output }
      : { type: "function_call_output", call_id, output };
  }

  /** An item stands where its part stood among the words. */
  #item(item: SentItem | null, turn: Turn): void {
    if (item === null) return;
    this.#flush(turn);
    this.items.push(item);
  }

  #flush({ role }: Turn): void {
    if (this.#said.length > 0) this.items.push({ type: "message", role: "assistant", content: this.#said });
    if (this.#heard.length > 0)
      this.items.push({
        type: "message",
        role: role === "user" ? "user" : "developer",
        content: this.#heard,
      });
    this.#said = [];
    this.#heard = [];
  }

  /** What was thought belongs to what was said or called after it, and is not taken alone. */
  #dropLooseReasoning(): void {
    while (isReasoning(this.items.at(-1))) this.items.pop();
  }

  #fault({ at }: Turn, clause: string): void {
    this.problems.add({ at, clause });
  }
}

/** Only its maker can read it. Without its seal it says nothing to an upstream, and as text it would be visible. */
function writeReasoning({ text, seal }: ReasoningPart): SentReasoning | null {
  if (seal === null || seal.origin !== "responses") return null;
  return {
    type: "reasoning",
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    encrypted_content: seal.value,
  };
}

function writeCall({ id, name, input, tool, namespace }: ToolCallPart): ResponseInputItem {
  const call_id = toCallId(id);
  const space = namespace === null ? {} : { namespace };
  if (tool === "custom") {
    const call: ResponseCustomToolCall = { type: "custom_tool_call", call_id, name, input, ...space };
    return call;
  }
  const call: ResponseFunctionToolCall = {
    type: "function_call",
    call_id,
    name,
    arguments: argumentsOf(input),
    ...space,
  };
  return call;
}

function media(part: Exclude<ToolResultPart["parts"][number], { kind: "text" }>): Written {
  return part.kind === "image" ? writeImage(part) : writeDocument(part);
}

function textContent(text: string): { content: ResponseInputText } {
  return { content: { type: "input_text", text } };
}

/** The dialect has no field for it, so the model is told in words. */
function asError(content: ResponseInputContent[]): ResponseInputContent[] {
  const [first, ...rest] = content;
  if (first === undefined || !isText(first)) return [{ type: "input_text", text: "Error:" }, ...content];
  if (/^\s*error/i.test(first.text)) return content;
  return [{ ...first, text: `Error: ${first.text}` }, ...rest];
}

function isText(content: ResponseInputContent): content is ResponseInputText {
  return content.type === "input_text";
}

function isReasoning(item: SentItem | undefined): boolean {
  return item !== undefined && "type" in item && item.type === "reasoning";
}
