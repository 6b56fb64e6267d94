import {
  type Call,
  type Exchange,
  event,
  functionOffer,
  type Heard,
  halves,
  INPUT_TOKENS,
  inOrder,
  type Move,
  OUTPUT_TOKENS,
  type Utterance,
  type Voice,
} from "./voice.ts";
import { type Fields, fields, list, text, textOf } from "./wire.ts";

/** An upstream that speaks OpenAI's chat completions, with the reasoning that many such upstreams add. */
export const chatVoice: Voice = {
  dialect: "chat",
  path: "/v1/chat/completions",
  hear,
  speak,
  write: (move, about) => ({
    ...head(about, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: move.text,
          ...(move.reasoning === null ? {} : { reasoning_content: move.reasoning }),
          ...(move.calls.length === 0 ? {} : { tool_calls: move.calls.map(toolCall(about)) }),
        },
        finish_reason: finish(move),
      },
    ],
    usage: USAGE,
  }),
};

const USAGE = {
  prompt_tokens: INPUT_TOKENS,
  completion_tokens: OUTPUT_TOKENS,
  total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
};

function hear(body: Fields): Heard {
  const messages = list(body["messages"]).map(fields);
  return {
    dialect: "chat",
    model: text(body["model"]),
    stream: body["stream"] === true,
    said: messages.map(({ content }) => textOf(content)).join("\n"),
    tools: list(body["tools"])
      .map(tool => fields(fields(tool)["function"]))
      .map(made => functionOffer(made["name"], made["parameters"])),
    results: inOrder(messages.flatMap(exchanges)),
    reasonings: messages.map(message => text(message["reasoning_content"])).filter(found => found !== ""),
  };
}

function exchanges(message: Fields): Exchange[] {
  if (message["role"] === "tool") {
    const result = { text: textOf(message["content"]), isError: null };
    return [{ kind: "result", id: text(message["tool_call_id"]), result }];
  }
  const calls = list(message["tool_calls"]).map(call => text(fields(call)["id"]));
  return [{ kind: "other" }, ...calls.map(id => ({ kind: "call" as const, id }))];
}

function finish({ calls }: Move): string {
  return calls.length > 0 ? "tool_calls" : "stop";
}

function head({ id, model }: Utterance, object: string): Fields {
  return { id: `chatcmpl-${id}`, object, created: 1_790_000_000, model };
}

function toolCall({ id }: Utterance) {
  return ({ tool, input }: Call, index: number) => ({
    index,
    id: `call_${id}_${index}`,
    type: "function",
    function: { name: tool.name, arguments: JSON.stringify(input) },
  });
}

function speak(move: Move, about: Utterance): string {
  const begun = head(about, "chat.completion.chunk");
  const chunk = (delta: Fields, finish_reason: string | null = null) =>
    event({ ...begun, choices: [{ index: 0, delta, finish_reason }] }, false);
  return [
    chunk({ role: "assistant", content: "" }),
    ...(move.reasoning === null ? [] : halves(move.reasoning)).map(piece =>
      chunk({ reasoning_content: piece }),
    ),
    ...(move.text === null ? [] : halves(move.text)).map(content => chunk({ content })),
    ...move.calls
      .map(toolCall(about))
      .flatMap(callDeltas)
      .map(delta => chunk({ tool_calls: [delta] })),
    chunk({}, finish(move)),
    event({ ...begun, choices: [], usage: USAGE }, false),
    "data: [DONE]\n\n",
  ].join("");
}

/** Name and id stand in the first piece only. */
function callDeltas(call: ReturnType<ReturnType<typeof toolCall>>): Fields[] {
  const [first, second] = halves(call.function.arguments);
  return [
    { ...call, function: { name: call.function.name, arguments: "" } },
    { index: call.index, function: { arguments: first } },
    { index: call.index, function: { arguments: second } },
  ];
}
