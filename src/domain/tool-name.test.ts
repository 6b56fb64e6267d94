import { expect, test } from "bun:test";
import { toolName } from "./tool-name.ts";

const BROWSER = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  ["claude-cli/2.1.0 (external, cli)", "claude-cli"],
  ["codex_cli_rs/0.99.0 (Ubuntu 24.4.0; x86_64) xterm", "codex_cli_rs"],
  ["OpenAI/Python 2.8.1", "OpenAI/Python"],
  ["Anthropic/JS 1.8.0", "Anthropic/JS"],
  ["curl/8.5.0", "curl"],
  ["node", "node"],
  [`${BROWSER} CherryStudio/1.7.2 Chrome/140.0.0.0 Electron/38.4.0 Safari/537.36`, "CherryStudio"],
  [`${BROWSER} Chrome/140.0.0.0 Safari/537.36`, "Chrome"],
  ["", ""],
  ["(nothing but a comment", ""],
  ["ai/5.0.1 ai-sdk/openai-compatible/1.0.2 runtime/bun/1.4.4", "ai"],
  ["x".repeat(200), "x".repeat(60)],
])("%s is called %s", (agent, name) => {
  expect(toolName(agent)).toBe(name);
});

test("another version is not another tool", () => {
  expect(toolName("opencode/1.0.1")).toBe(toolName("opencode/1.0.2-beta.1"));
});
