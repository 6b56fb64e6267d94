import { isObject, type JsonObject } from "./demo-json.ts";
import type { DemoAsk, DemoTool } from "./demo-plan.ts";
import type { Refuse } from "./demo-task.ts";

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

// Run by the provider, or built into its models. The demo never calls one.
const PROVIDERS_OWN =
  /^(web_search|file_search|computer|code_interpreter|image_generation|mcp|local_shell|shell|apply_patch|tool_search|programmatic_tool_calling)/;

export function readTools(tools: unknown, refuse: Refuse): DemoTool[] {
  if (tools === undefined || tools === null) return [];
  if (Array.isArray(tools)) return readList({ tools, path: "tools", namespace: null }, refuse);
  refuse("tools", "'tools' must be a list.");
  return [];
}

type List = { tools: readonly unknown[]; path: string; namespace: string | null };

function readList({ tools, path, namespace }: List, refuse: Refuse): DemoTool[] {
  return tools.flatMap((value, index): DemoTool[] => {
    const tool = isObject(value) ? value : {};
    return readTool({ tool, path: `${path}[${index}]`, namespace }, refuse);
  });
}

function readTool(
  at: { tool: JsonObject; path: string; namespace: string | null },
  refuse: Refuse,
): DemoTool[] {
  const { tool, path, namespace } = at;
  const { type, name, description, parameters, tools } = tool;
  if (typeof type === "string" && PROVIDERS_OWN.test(type)) return [];
  if (typeof name !== "string" || !NAME.test(name)) {
    refuse(`${path}.name`, `'${path}.name' must match ${NAME.source}.`);
    return [];
  }
  const told = typeof description === "string" ? description : "";
  if (type === "function" || type === "custom") {
    return [
      {
        kind: type,
        name,
        namespace,
        description: told,
        parameters: type === "custom" ? undefined : parameters,
      },
    ];
  }
  if (type === "namespace" && namespace === null && Array.isArray(tools)) {
    return readList({ tools, path: `${path}.tools`, namespace: name }, refuse);
  }
  refuse(`${path}.type`, `'${path}.type' is not a type of tool.`);
  return [];
}

type Chosen = Pick<DemoAsk, "tools" | "toolChoice">;

export function readToolChoice(
  asked: { choice: unknown; tools: readonly DemoTool[] },
  refuse: Refuse,
): Chosen {
  const { choice, tools } = asked;
  if (choice === undefined || choice === null) return { tools, toolChoice: { kind: "auto" } };
  if (choice === "auto" || choice === "none" || choice === "required") {
    if (choice === "required" && tools.length === 0) {
      refuse("tool_choice", "'tool_choice' asks for a tool, but 'tools' has none.");
    }
    return { tools, toolChoice: { kind: choice } };
  }
  const named = isObject(choice) ? choice : {};
  if (named["type"] === "allowed_tools") return readAllowed({ choice: named, tools }, refuse);
  const tool = tools.find(one => one.kind === named["type"] && one.name === named["name"]);
  if (tool !== undefined) return { tools: [tool], toolChoice: { kind: "named", name: tool.name } };
  const isProviders = typeof named["type"] === "string" && PROVIDERS_OWN.test(named["type"]);
  if (!isProviders)
    refuse("tool_choice", "'tool_choice' must be none, auto, required, or a tool that 'tools' has.");
  return { tools, toolChoice: { kind: "auto" } };
}

function readAllowed(asked: { choice: JsonObject; tools: readonly DemoTool[] }, refuse: Refuse): Chosen {
  const { mode, tools: listed } = asked.choice;
  if (mode !== "auto" && mode !== "required")
    refuse("tool_choice.mode", "'tool_choice.mode' must be auto or required.");
  const names = Array.isArray(listed)
    ? listed.map((one: unknown) => (isObject(one) ? (one["name"] ?? one["type"]) : null))
    : [];
  if (names.length === 0)
    refuse("tool_choice.tools", "'tool_choice.tools' must be a list of at least one tool.");
  const tools = asked.tools.filter(tool => names.includes(tool.name));
  return { tools, toolChoice: { kind: mode === "required" ? "required" : "auto" } };
}
