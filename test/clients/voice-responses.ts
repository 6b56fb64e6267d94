import {
  type Exchange,
  event,
  functionOffer,
  type Heard,
  halves,
  INPUT_TOKENS,
  inOrder,
  type Move,
  type Offer,
  OUTPUT_TOKENS,
  signatureOf,
  type Utterance,
  type Voice,
} from "./voice.ts";
import { type Fields, fields, list, text, textOf } from "./wire.ts";

/** An upstream that speaks OpenAI's responses. */
export const responsesVoice: Voice = {
  dialect: "responses",
  path: "/v1/responses",
  hear,
  speak,
  write: (move, about) => whole({ about, output: items(move, about) }),
};

function hear(body: Fields): Heard {
  const input = list(body["input"]).map(fields);
  const given = typeof body["input"] === "string" ? body["input"] : "";
  return {
    dialect: "responses",
    model: text(body["model"]),
    stream: body["stream"] === true,
    said: [text(body["instructions"]), given, ...input.map(({ content }) => textOf(content))].join("\n"),
    tools: [body, ...input.filter(({ type }) => type === "additional_tools")].flatMap(({ tools }) =>
      offers({ tools, namespace: null }),
    ),
    results: inOrder(input.map(exchange)),
    reasonings: input.filter(({ type }) => type === "reasoning").map(item => text(item["encrypted_content"])),
  };
}

function exchange(item: Fields): Exchange {
  const id = text(item["call_id"]);
  switch (item["type"]) {
    case "function_call":
    case "custom_tool_call":
      return { kind: "call", id };
    case "function_call_output":
    case "custom_tool_call_output":
      return { kind: "result", id, result: { text: textOf(item["output"]), isError: null } };
    default:
      return { kind: "other" };
  }
}

function offers({ tools, namespace }: { tools: unknown; namespace: string | null }): Offer[] {
  return list(tools)
    .map(fields)
    .flatMap((tool): Offer[] => {
      switch (tool["type"]) {
        case "namespace":
          return offers({ tools: tool["tools"], namespace: text(tool["name"]) });
        case "custom":
          return [{ name: text(tool["name"]), properties: {}, kind: "custom", namespace }];
        case "function":
          return [{ ...functionOffer(tool["name"], tool["parameters"]), namespace }];
        default:
          return [];
      }
    });
}

function whole({ about, output }: { about: Utterance; output: readonly Fields[] | null }): Fields {
  return {
    id: `resp_${about.id}`,
    object: "response",
    created_at: 1_790_000_000,
    model: about.model,
    status: output === null ? "in_progress" : "completed",
    error: null,
    incomplete_details: null,
    output: output ?? [],
    usage:
      output === null
        ? null
        : {
            input_tokens: INPUT_TOKENS,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: OUTPUT_TOKENS,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
          },
  };
}

function items({ reasoning, text: said, calls }: Move, { id }: Utterance): Fields[] {
  const thought = reasoning === null ? [] : [reasoning];
  const spoken = said === null ? [] : [said];
  return [
    ...thought.map(summary => ({
      type: "reasoning",
      id: `rs_${id}`,
      summary: [{ type: "summary_text", text: summary }],
      encrypted_content: signatureOf(summary),
    })),
    ...spoken.map(words => ({
      type: "message",
      id: `msg_${id}`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: words, annotations: [], logprobs: [] }],
    })),
    ...calls.map(({ tool, input }, at) => ({
      ...(tool.kind === "custom"
        ? { type: "custom_tool_call", id: `ctc_${id}_${at}`, input }
        : { type: "function_call", id: `fc_${id}_${at}`, arguments: JSON.stringify(input) }),
      call_id: `call_${id}_${at}`,
      name: tool.name,
      ...(tool.namespace === null ? {} : { namespace: tool.namespace }),
      status: "completed",
    })),
  ];
}

function speak(move: Move, about: Utterance): string {
  const output = items(move, about);
  const all: Fields[] = [
    { type: "response.created", response: whole({ about, output: null }) },
    { type: "response.in_progress", response: whole({ about, output: null }) },
    ...output.flatMap(itemEvents),
    { type: "response.completed", response: whole({ about, output }) },
  ];
  return all.map((data, at) => event({ ...data, sequence_number: at }, true)).join("");
}

function itemEvents(item: Fields, output_index: number): Fields[] {
  const at = { output_index, item_id: item["id"] };
  const { empty, inside } = pieces(item);
  return [
    { type: "response.output_item.added", output_index, item: { ...item, ...empty } },
    ...inside.map(one => ({ ...one, ...at })),
    { type: "response.output_item.done", output_index, item },
  ];
}

function pieces(item: Fields): { empty: Fields; inside: Fields[] } {
  switch (item["type"]) {
    case "reasoning":
      return { empty: { summary: [], encrypted_content: "" }, inside: summaryEvents(item) };
    case "message":
      return { empty: { content: [], status: "in_progress" }, inside: textEvents(item) };
    case "custom_tool_call":
      return { empty: { input: "", status: "in_progress" }, inside: inputEvents(item) };
    default:
      return { empty: { arguments: "", status: "in_progress" }, inside: argumentEvents(item) };
  }
}

function summaryEvents(item: Fields): Fields[] {
  const part = fields(list(item["summary"])[0]);
  const place = { summary_index: 0 };
  return [
    { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
    ...halves(text(part["text"])).map(delta => ({
      type: "response.reasoning_summary_text.delta",
      ...place,
      delta,
    })),
    { type: "response.reasoning_summary_text.done", ...place, text: part["text"] },
    { type: "response.reasoning_summary_part.done", ...place, part },
  ];
}

function textEvents(item: Fields): Fields[] {
  const part = fields(list(item["content"])[0]);
  const place = { content_index: 0 };
  return [
    { type: "response.content_part.added", ...place, part: { ...part, text: "" } },
    ...halves(text(part["text"])).map(delta => ({
      type: "response.output_text.delta",
      ...place,
      delta,
      logprobs: [],
    })),
    { type: "response.output_text.done", ...place, text: part["text"], logprobs: [] },
    { type: "response.content_part.done", ...place, part },
  ];
}

function argumentEvents(item: Fields): Fields[] {
  const whole = text(item["arguments"]);
  return [
    ...halves(whole).map(delta => ({ type: "response.function_call_arguments.delta", delta })),
    { type: "response.function_call_arguments.done", name: item["name"], arguments: whole },
  ];
}

function inputEvents(item: Fields): Fields[] {
  const input = text(item["input"]);
  return [
    ...halves(input).map(delta => ({ type: "response.custom_tool_call_input.delta", delta })),
    { type: "response.custom_tool_call_input.done", input },
  ];
}
