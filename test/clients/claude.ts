import { type Client, DONE, FIRST, type Task } from "./client.ts";
import { expectFailure, expectResults, expectThought, says, thinksAndUses, uses } from "./scene-steps.ts";

/** Claude Code, which speaks messages and gets the address without `/v1`. */
export function claude(command: string, path: string): Client {
  return {
    name: "claude",
    dialect: "messages",
    launch: ({ root, key, model, prompt, place, wrongBase, once }) => ({
      // As root it refuses to skip its permissions; naming the tools that need none works for everybody.
      command: [command, "-p", prompt, "--allowedTools", "Bash", "Read", "Write"],
      env: {
        PATH: path,
        HOME: place.home,
        ANTHROPIC_BASE_URL: wrongBase ? `${root}/v1` : root,
        ANTHROPIC_AUTH_TOKEN: key,
        ANTHROPIC_MODEL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        ...(once ? { CLAUDE_CODE_MAX_RETRIES: "0" } : {}),
      },
      files: {},
    }),
    tasks: [threeTools("mock"), threeTools("claude-opus-5-5"), threeTools("claude-sonnet-4-5"), deferredTool],
    shows: {
      key_unknown: sentence => `Failed to authenticate\\. API Error: 401 ${sentence}`,
      key_disabled: sentence => `Failed to authenticate\\. API Error: 401 ${sentence}`,
      balance_exhausted: sentence => `API Error: 402 ${sentence}`,
      model_not_in_group: sentence => `Failed to authenticate\\. API Error: 403 ${sentence}`,
      rate_limited: sentence => `API Error: Request rejected \\(429\\) · ${sentence}`,
      wrong_base_url: sentence => `API Error: 405 ${sentence}`,
    },
    asksAgain: ["rate_limited"],
    waits: [],
  };
}

const bash = (command: string) => ({ tool: "Bash", input: { command, description: "part of the task" } });

/** Two of them at once at the end. */
function threeTools(model: string): Task {
  return {
    model,
    about: "three tools, one fails",
    steps: ({ work }) => [
      thinksAndUses({ tool: "Write", input: { file_path: `${work}/one.txt`, content: `${FIRST}\n` } }),
      uses(bash("cat missing.txt")),
      uses({ tool: "Read", input: { file_path: `${work}/one.txt` } }),
      uses(bash("echo left"), bash("echo right")),
      says(DONE),
    ],
    verify: (heard, between) => {
      expectThought(heard, between);
      expectResults(heard, ["one.txt", "No such file", FIRST, "left", "right"]);
      expectFailure(heard, { ...between, at: 1 });
    },
  };
}

/** A tool whose schema is loaded on the model's wish: what comes back is a reference, and the tool itself. */
const deferredTool: Task = {
  model: "claude-opus-5-5",
  about: "a tool that is looked for first",
  steps: () => [
    uses({ tool: "ToolSearch", input: { query: "select:CronList", max_results: 1 } }),
    uses({ tool: "CronList", input: {} }),
    says(DONE),
  ],
  verify: heard => expectResults(heard, [/^/, "No scheduled jobs"]),
};
