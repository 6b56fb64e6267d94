import {
  type Exchange,
  event,
  functionOffer,
  type Heard,
  halves,
  INPUT_TOKENS,
  inOrder,
  type Move,
  OUTPUT_TOKENS,
  signatureOf,
  type Utterance,
  type Voice,
} from "./voice.ts";
import { type Fields, fields, list, text, textOf } from "./wire.ts";

/** An upstream that speaks Anthropic's messages. */
export const messagesVoice: Voice = {
  dialect: "messages",
  path: "/v1/messages",
  hear,
  speak,
  write: (move, about) => ({
    ...head(about),
    content: blocks(move, about),
    stop_reason: move.calls.length > 0 ? "tool_use" : "end_turn",
    usage: { input_tokens: INPUT_TOKENS, output_tokens: OUTPUT_TOKENS },
  }),
};

function hear(body: Fields): Heard {
  const messages = list(body["messages"]).map(fields);
  const parts = messages.flatMap(({ content }) => list(content).map(fields));
  const ofType = (type: string) => parts.filter(part => part["type"] === type);
  return {
    dialect: "messages",
    model: text(body["model"]),
    stream: body["stream"] === true,
    said: [textOf(body["system"]), ...messages.map(({ content }) => textOf(content))].join("\n"),
    tools: list(body["tools"])
      .map(fields)
      .map(tool => functionOffer(tool["name"], tool["input_schema"])),
    results: inOrder(parts.map(exchange)),
    reasonings: ofType("thinking").map(part => text(part["signature"])),
  };
}

/** A model's words and thoughts may stand beside its calls. */
function exchange(part: Fields): Exchange {
  switch (part["type"]) {
    case "tool_use":
      return { kind: "call", id: text(part["id"]) };
    case "tool_result": {
      const result = { text: textOf(part["content"]), isError: part["is_error"] === true };
      return { kind: "result", id: text(part["tool_use_id"]), result };
    }
    default:
      return { kind: "other" };
  }
}

function head({ id, model }: Utterance): Fields {
  return { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null };
}

function blocks({ reasoning, text: said, calls }: Move, { id }: Utterance): Fields[] {
  return [
    ...(reasoning === null
      ? []
      : [{ type: "thinking", thinking: reasoning, signature: signatureOf(reasoning) }]),
    ...(said === null ? [] : [{ type: "text", text: said }]),
    ...calls.map(({ tool, input }, at) => ({
      type: "tool_use",
      id: `toolu_${id}_${at}`,
      name: tool.name,
      input,
    })),
  ];
}

function speak(move: Move, about: Utterance): string {
  const start = {
    ...head(about),
    content: [],
    stop_reason: null,
    usage: { input_tokens: INPUT_TOKENS, output_tokens: 1 },
  };
  const delta = { stop_reason: move.calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
  const all = [
    { type: "message_start", message: start },
    { type: "ping" },
    ...blocks(move, about).flatMap(blockEvents),
    { type: "message_delta", delta, usage: { output_tokens: OUTPUT_TOKENS } },
    { type: "message_stop" },
  ];
  return all.map(data => event(data, true)).join("");
}

function blockEvents(block: Fields, index: number): Fields[] {
  const { empty, deltas } = inPieces(block);
  return [
    { type: "content_block_start", index, content_block: empty },
    ...deltas.map(delta => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function inPieces(block: Fields): { empty: Fields; deltas: Fields[] } {
  switch (block["type"]) {
    case "thinking":
      return {
        empty: { ...block, thinking: "", signature: "" },
        deltas: [
          ...halves(text(block["thinking"])).map(thinking => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block["signature"] },
        ],
      };
    case "text":
      return {
        empty: { ...block, text: "" },
        deltas: halves(text(block["text"])).map(piece => ({ type: "text_delta", text: piece })),
      };
    default:
      return {
        empty: { ...block, input: {} },
        deltas: halves(JSON.stringify(block["input"])).map(partial_json => ({
          type: "input_json_delta",
          partial_json,
        })),
      };
  }
}
