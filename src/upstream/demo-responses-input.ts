import { isObject, type JsonObject } from "./demo-json.ts";
import type { DemoMessage } from "./demo-plan.ts";
import { isDemoSeal } from "./demo-seal.ts";
import type { Refuse } from "./demo-task.ts";
import { type DemoMedia, NO_MEDIA } from "./demo-text.ts";

const ROLES: ReadonlyMap<unknown, DemoMessage["role"]> = new Map<unknown, DemoMessage["role"]>([
  ["user", "user"],
  ["assistant", "assistant"],
  ["system", "instruction"],
  ["developer", "instruction"],
]);

// Made by tools that the provider runs itself: the demo has none, and reads over them.
const PROVIDERS_OWN: ReadonlySet<unknown> = new Set([
  "additional_tools",
  "apply_patch_call",
  "apply_patch_call_output",
  "code_interpreter_call",
  "compaction",
  "compaction_trigger",
  "computer_call",
  "computer_call_output",
  "configuration_update",
  "file_search_call",
  "image_generation_call",
  "local_shell_call",
  "local_shell_call_output",
  "mcp_approval_request",
  "mcp_approval_response",
  "mcp_call",
  "mcp_list_tools",
  "program",
  "program_output",
  "shell_call",
  "shell_call_output",
  "tool_search_call",
  "tool_search_output",
  "web_search_call",
]);

type Place = { item: JsonObject; path: string };
type Call = { id: string; kind: string; path: string };

/** What an item was read to; calls and outputs have to find each other. */
type Item = { message: DemoMessage | null; call: Call | null; output: Call | null };

const NOTHING: Item = { message: null, call: null, output: null };

/** Text, or a list of items; one without a type is a message. */
export function readInput(input: unknown, refuse: Refuse): DemoMessage[] {
  if (typeof input === "string") return [messageOf("user", { text: input, media: NO_MEDIA })];
  if (!Array.isArray(input) || input.length === 0) {
    refuse("input", "'input' must be text or a list of at least one item.");
    return [];
  }
  const items = input.map((value: unknown, index) => {
    const path = `input[${index}]`;
    if (isObject(value)) return readItem({ item: value, path }, refuse);
    refuse(path, `'${path}' must be an object.`);
    return NOTHING;
  });
  checkOutputs(items, refuse);
  return items.flatMap(({ message }) => (message === null ? [] : [message]));
}

function messageOf(
  role: DemoMessage["role"],
  said: { text: string; media: DemoMedia; calls?: DemoMessage["calls"] },
): DemoMessage {
  return { role, calls: [], isError: false, ...said };
}

function readItem({ item, path }: Place, refuse: Refuse): Item {
  const type: unknown = item["type"] ?? "message";
  switch (type) {
    case "message":
      return { ...NOTHING, message: readMessage({ item, path }, refuse) };
    case "function_call":
    case "custom_tool_call":
      return readCall({ item, path, type }, refuse);
    case "function_call_output":
    case "custom_tool_call_output":
      return readOutput({ item, path, type }, refuse);
    case "reasoning":
      checkReasoning({ item, path }, refuse);
      return NOTHING;
    case "item_reference":
      refuse(`${path}.id`, `'${path}' refers to an item, but nothing is kept here.`);
      return NOTHING;
    default:
      if (!PROVIDERS_OWN.has(type)) refuse(`${path}.type`, `'${path}.type' is not a type of item.`);
      return NOTHING;
  }
}

function readMessage({ item, path }: Place, refuse: Refuse): DemoMessage {
  const role = ROLES.get(item["role"]);
  if (role === undefined) {
    refuse(`${path}.role`, `'${path}.role' must be one of ${[...ROLES.keys()].join(", ")}.`);
  }
  const types = role === "assistant" ? SAID : HEARD;
  return messageOf(
    role ?? "user",
    readContent({ value: item["content"], path: `${path}.content`, types }, refuse),
  );
}

const HEARD: readonly unknown[] = ["input_text", "input_image", "input_file", "input_audio"];
const SAID: readonly unknown[] = ["output_text", "refusal"];

function readContent(
  at: { value: unknown; path: string; types: readonly unknown[] },
  refuse: Refuse,
): { text: string; media: DemoMedia } {
  const { value, path, types } = at;
  if (typeof value === "string") return { text: value, media: NO_MEDIA };
  if (!Array.isArray(value)) {
    refuse(path, `'${path}' must be text or a list of parts.`);
    return { text: "", media: NO_MEDIA };
  }
  const parts = value.map((part: unknown, index) => {
    const known = isObject(part) && types.includes(part["type"]) ? part : {};
    if (known["type"] === undefined) {
      refuse(`${path}[${index}].type`, `'${path}[${index}].type' must be one of ${types.join(", ")}.`);
    }
    return known;
  });
  const texts = parts.map(part => part["text"] ?? part["refusal"]).filter(text => typeof text === "string");
  const count = (type: string) => parts.filter(part => part["type"] === type).length;
  const media = {
    images: count("input_image"),
    documents: count("input_file"),
    sounds: count("input_audio"),
  };
  return { text: texts.join("\n"), media };
}

const CALL_ID_CHARS_MAX = 64;

function readCallId({ item, path }: Place, refuse: Refuse): string {
  const { call_id: id } = item;
  if (typeof id === "string" && id !== "" && id.length <= CALL_ID_CHARS_MAX) return id;
  refuse(`${path}.call_id`, `'${path}.call_id' must be text of up to ${CALL_ID_CHARS_MAX} characters.`);
  return "";
}

const ID_BEGINNINGS = { function_call: "fc", custom_tool_call: "ctc" } as const;

function readCall({ item, path, type }: Place & { type: keyof typeof ID_BEGINNINGS }, refuse: Refuse): Item {
  const beginning = ID_BEGINNINGS[type];
  const { id, name } = item;
  if (id !== undefined && id !== null && !(typeof id === "string" && id.startsWith(beginning))) {
    refuse(`${path}.id`, `'${path}.id' must begin with ${beginning}.`);
  }
  if (typeof name !== "string" || name === "") refuse(`${path}.name`, `'${path}.name' must be text.`);
  const field = type === "function_call" ? "arguments" : "input";
  const given = item[field];
  if (typeof given !== "string") refuse(`${path}.${field}`, `'${path}.${field}' must be text.`);
  const call = { name: textOf(name), arguments: textOf(given) };
  return {
    message: messageOf("assistant", { text: "", media: NO_MEDIA, calls: [call] }),
    call: { id: readCallId({ item, path }, refuse), kind: type, path },
    output: null,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function readOutput({ item, path, type }: Place & { type: string }, refuse: Refuse): Item {
  const said = readContent({ value: item["output"], path: `${path}.output`, types: HEARD }, refuse);
  const id = readCallId({ item, path }, refuse);
  return {
    message: messageOf("tool", said),
    call: null,
    output: { id, kind: type.replace(/_output$/, ""), path },
  };
}

/** What the demo did not think itself it does not take back. */
function checkReasoning({ item, path }: Place, refuse: Refuse): void {
  const { encrypted_content: sealed, summary } = item;
  if (!Array.isArray(summary)) refuse(`${path}.summary`, `'${path}.summary' must be a list.`);
  if (sealed === undefined || sealed === null) return;
  if (typeof sealed === "string" && isDemoSeal(sealed, { kind: "encrypted", text: null })) return;
  refuse(`${path}.encrypted_content`, `The encrypted content of '${path}' could not be verified.`);
}

function checkOutputs(items: readonly Item[], refuse: Refuse): void {
  const open = new Map<string, Call>();
  for (const { call, output } of items) {
    if (call !== null) open.set(call.id, call);
    if (output === null) continue;
    if (open.get(output.id)?.kind === output.kind) open.delete(output.id);
    else refuse(`${output.path}.call_id`, `'${output.path}' is the output of no ${output.kind} before it.`);
  }
  for (const { id, path } of open.values())
    refuse(`${path}.call_id`, `The call ${id} has no output after it.`);
}
