import type { Dialect } from "../../src/domain/usage.ts";
import { type Client, DONE, FIRST, type Task } from "./client.ts";
import { expectFailure, expectResults, expectThought, says, thinksAndUses, uses } from "./scene-steps.ts";

/** opencode, which speaks what its provider's package speaks. */
export function opencode(command: string, path: string): (dialect: Dialect) => Client {
  return dialect => ({
    name: dialect === "chat" ? "opencode" : `opencode-${dialect}`,
    dialect,
    launch: ({ root, key, model, prompt, place, wrongBase, talks }) => ({
      command: [command, "run", ...(talks ? ["--print-logs", "--log-level", "INFO"] : []), prompt],
      env: {
        PATH: path,
        HOME: place.home,
        WICKETGATE_API_KEY: key,
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      },
      files: {
        [`${place.work}/opencode.json`]: config({ dialect, model, base: wrongBase ? root : `${root}/v1` }),
      },
    }),
    tasks: [threeTools],
    shows:
      dialect === "chat"
        ? { ...ALL_ERRORS, rate_limited: sentence => `AI_APICallError: ${sentence}` }
        : ERRORS,
    asksAgain: [],
    waits: ["rate_limited"],
  });
}

const error = (sentence: string) => `Error: ${sentence}`;
/** It starts slowly, and reads every dialect's errors alike: the others need not all be tried in each. */
const ERRORS = { key_disabled: error, balance_exhausted: error };
const ALL_ERRORS = { ...ERRORS, key_unknown: error, model_not_in_group: error, wrong_base_url: error };

const PACKAGES: Record<Dialect, string> = {
  chat: "@ai-sdk/openai-compatible",
  responses: "@ai-sdk/openai",
  messages: "@ai-sdk/anthropic",
};

function config({ dialect, model, base }: { dialect: Dialect; model: string; base: string }): string {
  return JSON.stringify({
    autoupdate: false,
    share: "disabled",
    model: `wicketgate/${model}`,
    small_model: `wicketgate/${model}`,
    permission: { edit: "allow", bash: "allow" },
    provider: {
      wicketgate: {
        npm: PACKAGES[dialect],
        name: "Wicketgate",
        options: { baseURL: base, apiKey: "{env:WICKETGATE_API_KEY}" },
        models: { [model]: {} },
      },
    },
  });
}

const bash = (command: string) => ({ tool: "bash", input: { command, description: "part of the task" } });

const threeTools: Task = {
  model: "mock",
  about: "three tools, one fails",
  steps: ({ work }) => [
    thinksAndUses({ tool: "write", input: { filePath: `${work}/one.txt`, content: `${FIRST}\n` } }),
    uses({ tool: "read", input: { filePath: `${work}/missing.txt` } }),
    uses({ tool: "read", input: { filePath: `${work}/one.txt` } }),
    uses(bash("echo left"), bash("echo right")),
    says(DONE),
  ],
  verify: (heard, between) => {
    expectThought(heard, between);
    expectResults(heard, ["success", /not found/i, FIRST, "left", "right"]);
    expectFailure(heard, { ...between, at: 1 });
  },
};
