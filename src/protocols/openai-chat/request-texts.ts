/** What of a chat request a model reads: the texts to be counted, and the messages that each cost a little more. */
export type RequestTexts = { texts: string[]; messages: number };

type Fields = Readonly<Record<string, unknown>>;

/** Given to the model as JSON, beside the messages. */
const DEFINITIONS = ["tools", "functions", "response_format"];

/** Null where it is not a chat request. Images, audio and files are no text, and are counted by their number. */
export function chatRequestTexts(body: unknown): RequestTexts | null {
  if (!isObject(body) || !Array.isArray(body["messages"])) return null;
  const messages: readonly unknown[] = body["messages"];
  const texts: string[] = [];
  for (const message of messages) if (isObject(message)) addMessage(texts, message);
  for (const name of DEFINITIONS) {
    const defined = body[name];
    if (typeof defined === "object" && defined !== null) texts.push(JSON.stringify(defined));
  }
  return { texts, messages: messages.length };
}

function addMessage(texts: string[], message: Fields): void {
  add(texts, message["name"]);
  add(texts, message["reasoning_content"]);
  add(texts, message["refusal"]);
  addContent(texts, message["content"]);
  addCall(texts, message["function_call"]);
  const calls = message["tool_calls"];
  if (!Array.isArray(calls)) return;
  for (const call of calls) {
    if (!isObject(call)) continue;
    addCall(texts, call["function"]);
    addCall(texts, call["custom"]);
  }
}

function addContent(texts: string[], content: unknown): void {
  add(texts, content);
  if (!Array.isArray(content)) return;
  for (const part of content) {
    if (!isObject(part)) continue;
    add(texts, part["text"]);
    add(texts, part["refusal"]);
  }
}

function addCall(texts: string[], call: unknown): void {
  if (!isObject(call)) return;
  add(texts, call["name"]);
  add(texts, call["arguments"]);
  add(texts, call["input"]);
}

function add(texts: string[], text: unknown): void {
  if (typeof text === "string" && text !== "") texts.push(text);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
