import { type Client, DONE, FIRST, type Task } from "./client.ts";
import { expectResults, expectThought, says, thinksAndUses, uses } from "./scene-steps.ts";

/** Codex, which speaks responses. Which tools it offers, and where, depends on the model's name. */
export function codex(command: string, path: string): Client {
  return {
    name: "codex",
    dialect: "responses",
    launch: ({ root, key, model, prompt, place, wrongBase, once }) => ({
      command: [command, ...["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access"], prompt],
      env: { PATH: path, HOME: place.home, WICKETGATE_API_KEY: key },
      files: {
        [`${place.home}/.codex/config.toml`]: config({ model, base: wrongBase ? root : `${root}/v1`, once }),
      },
    }),
    tasks: [plainTools, patch, codeMode],
    shows: {
      key_unknown: sentence => `unexpected status 401 Unauthorized: ${sentence}`,
      key_disabled: sentence => `unexpected status 401 Unauthorized: ${sentence}`,
      balance_exhausted: sentence => `unexpected status 402 Payment Required: ${sentence}`,
      model_not_in_group: sentence => `ERROR: ${sentence}`,
      // It has its own words, whatever the body says.
      rate_limited: () => "exceeded retry limit, last status: 429 Too Many Requests",
      wrong_base_url: sentence => `unexpected status 404 Not Found: ${sentence}`,
    },
    asksAgain: ["key_unknown", "key_disabled", "balance_exhausted", "rate_limited", "wrong_base_url"],
    waits: [],
  };
}

function config({ model, base, once }: { model: string; base: string; once: boolean }): string {
  return `model = "${model}"
model_provider = "wicketgate"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.wicketgate]
name = "Wicketgate"
base_url = "${base}"
env_key = "WICKETGATE_API_KEY"
wire_api = "responses"
${once ? "request_max_retries = 0\nstream_max_retries = 0\n" : ""}`;
}

const shell = (cmd: string) => ({ tool: "exec_command", input: { cmd } });

/** In the order of the calls. */
function results(...wanted: (string | RegExp)[]): Task["verify"] {
  return (heard, between) => {
    expectThought(heard, between);
    expectResults(heard, wanted);
  };
}

/** A model that it does not know: functions, some of them in a namespace. */
const plainTools: Task = {
  model: "mock",
  about: "three tools, one fails",
  steps: () => [
    thinksAndUses(shell(`echo '${FIRST}' > one.txt`)),
    uses(shell("cat missing.txt")),
    uses(shell("cat one.txt")),
    uses({ tool: "close_agent", input: { target: "nobody" } }),
    uses(shell("echo left"), shell("echo right")),
    says(DONE),
  ],
  verify: results(/code 0/, /code 1.*No such file/s, FIRST, "invalid agent id nobody", "left", "right"),
};

/** A model that it gives a custom tool: its input is a text, not JSON. */
const patch: Task = {
  model: "gpt-5.5",
  about: "three tools, two of them patches, one fails",
  steps: () => [
    thinksAndUses({
      tool: "apply_patch",
      input: `*** Begin Patch\n*** Add File: one.txt\n+${FIRST}\n*** End Patch\n`,
    }),
    uses({
      tool: "apply_patch",
      input: "*** Begin Patch\n*** Update File: missing.txt\n@@\n-no\n+yes\n*** End Patch\n",
    }),
    uses(shell("cat one.txt")),
    says(DONE),
  ],
  verify: results("A one.txt", /verification failed.*No such file/s, FIRST),
};

/** A model that it gives its tools inside the input, all in namespaces, and one that runs scripts. */
const codeMode: Task = {
  model: "gpt-6-sol",
  about: "three tools inside the input, one fails",
  steps: () => [
    thinksAndUses({
      tool: "exec",
      input: `const ran = await tools.exec_command({ cmd: "echo '${FIRST}' > one.txt; cat one.txt" });\ntext(ran.output);\n`,
    }),
    uses({ tool: "exec", input: 'throw new Error("this one fails");\n' }),
    uses({ tool: "list_agents", input: {} }),
    says(DONE),
  ],
  verify: results(FIRST, /Script failed.*this one fails/s, '"agent_status":"running"'),
};
