import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { groupId, startKeys } from "../console-keys-rig.ts";
import type { Browser, ConsoleRig } from "../console-rig.ts";
import { eventually, freshDir, removeDir, usageRows } from "../harness.ts";
import { installClient, installNode } from "./install.ts";
import { installPython, type Python } from "./python.ts";
import { runBounded } from "./run-bounded.ts";

/**
 * What the console tells people to do for Claude Code, Codex and the Python libraries, done to the letter: its files
 * are written where it says, its lines run in bash, and the client gets an answer. curl and the TypeScript libraries
 * are in test/console-setup.test.ts, because they need nothing that is not installed anyway.
 */

const RUN_MS_MAX = 120_000;
/** Closed: whom a client calls besides the gateway, it does not reach. */
const NOWHERE = "http://127.0.0.1:9";
/** It is large, so it is tried only where it is asked for by name. */
const WITH_OPENCODE = process.argv.includes("opencode");
const PROMPT = "Say hello in five words.";

type Told = { keyId: string; string: string; pieces: readonly Piece[] };
type Piece = { shell: string | null; file: string | null; language: string; text: string };
type Snippet = {
  name: string;
  client: string;
  model: string;
  /** Of the pieces, those that somebody would choose to follow. */
  follow: (piece: Piece) => boolean;
  /** What is typed after them. */
  start: string;
  path: string;
  env?: Record<string, string>;
};

const say = (line: string) => void process.stdout.write(`${line}\n`);

function snippets(
  commands: { claude: string; codex: string; opencode: string | null; node: string },
  python: Python | null,
): Snippet[] {
  const path = [commands.node, "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  const claude = {
    client: "claude-code",
    // The demo model calls every tool that it is offered, so it is offered none.
    start: `claude -p '${PROMPT}' --tools ''`,
    path: `${dirname(commands.claude)}:${path}`,
  };
  const env = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };
  const inBash = ({ shell }: Piece) => shell === "bash";
  const codex = `codex exec --skip-git-repo-check --sandbox danger-full-access '${PROMPT}'`;
  const program = { start: "python3 hello.py", path: `${dirname(python?.command ?? "/usr/bin/x")}:${path}` };
  const followed = ({ shell, file }: Piece) => shell === "bash" || file === "hello.py";
  const libraries = { PYTHONPATH: python?.libraries ?? "" };
  return [
    ...["claude-sonnet-4-5", "gpt-5"].flatMap(model => [
      { ...claude, env, model, name: `Claude Code in bash, ${model}`, follow: inBash },
      {
        ...{ ...claude, env, model, name: `Claude Code by its settings file, ${model}` },
        follow: ({ file }: Piece) => file === "~/.claude/settings.json",
      },
    ]),
    ...["gpt-5", "claude-sonnet-4-5"].map(model => ({
      ...{ client: "codex", model, name: `Codex, ${model}`, start: codex },
      ...{ path: `${dirname(commands.codex)}:${path}` },
      follow: ({ shell, file }: Piece) => shell === "bash" || file !== null,
    })),
    ...(commands.opencode === null ? [] : ["gpt-5"]).map(model => ({
      ...{ client: "opencode", model, name: `OpenCode, ${model}`, start: `opencode run '${PROMPT}'` },
      ...{ path: `${dirname(commands.opencode ?? "")}:${path}` },
      follow: ({ shell, file }: Piece) => shell === "bash" || file !== null,
    })),
    ...(python === null ? [] : ["openai-python", "anthropic-python"]).map(client => ({
      ...{ ...program, client, model: "gpt-5", name: client, follow: followed, env: libraries },
    })),
  ];
}

async function told(holder: Browser, { client, model, name }: Snippet): Promise<Told> {
  const group = await groupId({ operator: holder }, "all");
  const { key, string } = await holder.call("POST /keys", { body: { name, group } });
  const setup = await holder.call("GET /keys/{id}/setup", { params: { id: key.id }, query: { model } });
  const found = setup.clients.find(({ id }) => id === client);
  if (found === undefined) throw new Error(`the console says nothing of ${client}`);
  const pieces = found.pieces.map(piece => ({ ...piece, text: piece.text.replaceAll("{{key}}", string) }));
  return { keyId: key.id, string, pieces };
}

/** Throws where it does not come to an answer, or the log does not have it. */
async function follow(snippet: Snippet, rig: ConsoleRig, holder: Browser): Promise<void> {
  const { keyId, pieces } = await told(holder, snippet);
  const place = freshDir();
  try {
    const [home, work] = [join(place, "home"), join(place, "work")];
    for (const dir of [home, work]) mkdirSync(dir);
    const chosen = pieces.filter(snippet.follow);
    for (const { file, text } of chosen) {
      if (file === null) continue;
      const path = file.startsWith("~/") ? join(home, file.slice(2)) : join(work, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    const lines = chosen.flatMap(({ shell, text }) => (shell === null ? [] : text));
    const nowhere = { HTTPS_PROXY: NOWHERE, HTTP_PROXY: NOWHERE, NO_PROXY: "127.0.0.1,localhost" };
    const ran = await runBounded({
      command: ["bash", "-c", [...lines, snippet.start].join("\n")],
      env: { ...nowhere, PATH: snippet.path, HOME: home, ...snippet.env },
      ...{ cwd: work, msMax: RUN_MS_MAX },
    });
    const said = `${ran.stdout}\n${ran.stderr}`.trim().slice(-2_000);
    if (ran.code !== 0 || ran.stdout.trim() === "") throw new Error(`it ended with ${ran.code}: ${said}`);
    const isSettled = await eventually(async () => {
      const rows = await usageRows(rig.dir, keyId);
      return rows.some(
        ({ state, status, model }) => state === "settled" && status === 200 && model === snippet.model,
      );
    });
    if (isSettled !== true) throw new Error(`the log has no settled row of ${snippet.model}: ${said}`);
  } finally {
    removeDir(place);
  }
}

async function main(): Promise<number> {
  const node = await installNode();
  const [claude, codex] = await Promise.all([installClient("claude", node), installClient("codex", node)]);
  const opencode = WITH_OPENCODE ? await installClient("opencode", node) : null;
  const python = await installPython();
  if (typeof python === "string") say(`Python is left out: ${python}`);
  const rig = await startKeys();
  const all = snippets({ claude, codex, opencode, node }, typeof python === "string" ? null : python);
  let failed = 0;
  try {
    const holder = await rig.invited("ann@example.org");
    for (const snippet of all) {
      const begin = performance.now();
      const problem = await follow(snippet, rig, holder).then(
        () => null,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      const seconds = ((performance.now() - begin) / 1000).toFixed(1);
      say(`${problem === null ? "ok    " : "FAILED"} as the console says it: ${snippet.name} (${seconds} s)`);
      if (problem === null) continue;
      failed += 1;
      say(problem.replaceAll(/^/gm, "       "));
    }
  } finally {
    await rig.dispose();
  }
  say(`\n ${all.length - failed} pass\n ${failed} fail`);
  if (typeof python === "string") say(" 2 skip");
  return failed === 0 ? 0 : 1;
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
process.exit(await main());
