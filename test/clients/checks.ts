import { catalogue, fill } from "../../src/domain/errors.ts";
import { generateKeyString } from "../../src/domain/key-string.ts";
import type { Dialect } from "../../src/domain/usage.ts";
import { eventually } from "../harness.ts";
import { type Ask, type Client, DONE, type RefusalCase, type Task } from "./client.ts";
import { expectEqual, expectText, Unexpected } from "./expect.ts";
import { type Ran, runBounded } from "./run-bounded.ts";
import { says } from "./scene-steps.ts";
import type { Scene } from "./scripted-upstream.ts";
import { INPUT_TOKENS, OUTPUT_TOKENS } from "./voice.ts";
import { DIALECTS, ELSEWHERE, GROUP, type KeyKind, upstreamModel, type World, writeFiles } from "./world.ts";

/** What is tried with every client. */

export type Check = {
  /** Of the check, its key and its place. */
  id: string;
  name: string;
  key: KeyKind;
  /** Throws where it does not hold. */
  run: (world: World) => Promise<void>;
};

const RUN_MS_MAX = 120_000;
/** Less than Claude Code takes to give up a refused key where it is not told that to ask again is of no use. */
const REFUSAL_MS_MAX = 60_000;
/** Closed: whom a client calls besides the gateway, it does not reach. */
const NOWHERE = "http://127.0.0.1:9";

export function checksOf(client: Client): Check[] {
  const dialects = DIALECTS.toSorted((a, b) => Number(b === client.dialect) - Number(a === client.dialect));
  return [
    ...dialects.map(dialect => plain(client, dialect)),
    ...client.tasks.flatMap(task => dialects.map(dialect => taskCheck({ client, task, dialect }))),
    ...Object.entries(client.shows).map(([reason, shows]) =>
      refused({ client, reason: reason as RefusalCase, shows }),
    ),
  ];
}

function upstreamName(client: Client, dialect: Dialect): string {
  return dialect === client.dialect ? `${dialect} upstream` : `${dialect} upstream, translated`;
}

function plain(client: Client, dialect: Dialect): Check {
  const id = `${client.name}-plain-${dialect}`;
  return {
    id,
    name: `${upstreamName(client, dialect)}: plain answer`,
    key: "paid",
    run: async world => {
      const answer = `Plain words for ${client.name} from ${dialect}.`;
      const scene = world.upstream.scene(sceneName(id), [says(answer)]);
      const model = `mock-${dialect}`;
      await expectPlayed({ world, client, id, scene, dialect, model, answer });
    },
  };
}

function taskCheck({ client, task, dialect }: { client: Client; task: Task; dialect: Dialect }): Check {
  const id = `${client.name}-${client.tasks.indexOf(task)}-${dialect}`;
  const model = `${task.model}-${dialect}`;
  return {
    id,
    name: `${upstreamName(client, dialect)}: ${task.about}, as ${task.model}`,
    key: "paid",
    run: async world => {
      const steps = task.steps(world.place(id));
      const scene = world.upstream.scene(sceneName(id), steps);
      await expectPlayed({ world, client, id, scene, dialect, model, answer: DONE });
      expectEqual("the number of moves", { found: scene.heard.length, wanted: steps.length });
      task.verify(scene.heard, { client: client.dialect, upstream: dialect });
    },
  };
}

/** The client prints the answer, and the upstream and the usage log saw what they should. */
async function expectPlayed(about: {
  world: World;
  client: Client;
  id: string;
  scene: Scene;
  dialect: Dialect;
  model: string;
  answer: string;
}): Promise<void> {
  const { world, client, id, scene, dialect, model, answer } = about;
  const ran = await launch({ world, client, id, ask: { model, prompt: prompt(scene) } });
  const [problem] = scene.problems;
  if (problem !== undefined) throw new Unexpected(`the upstream refused a request: ${problem}`);
  expectAnswer(ran, answer);
  expectHeard({ scene, dialect, model });
  await expectUsage({ world, scene, id, model });
}

const KEYS: Partial<Record<RefusalCase, KeyKind>> = {
  key_disabled: "disabled",
  balance_exhausted: "poor",
  rate_limited: "limited",
};

type RefusalAbout = { client: Client; reason: RefusalCase; shows: (sentence: string) => string };

function refused({ client, reason, shows }: RefusalAbout): Check {
  const id = `${client.name}-${reason.replaceAll("_", "-")}`;
  return {
    id,
    name: `refusal ${reason}`,
    key: KEYS[reason] ?? "paid",
    run: async world => {
      const scene = world.upstream.scene(sceneName(id), [says(DONE)]);
      const model = reason === "model_not_in_group" ? ELSEWHERE : `mock-${client.dialect}`;
      const key = reason === "key_unknown" ? UNKNOWN_KEY : world.key(id).key;
      if (reason === "rate_limited") await spendLimit(world, key);
      const baseUrl = client.dialect === "messages" ? world.root : `${world.root}/v1`;
      const shown = new RegExp(shows(pattern(reason, { key: id, model, group: GROUP, baseUrl })));
      const talks = client.waits.includes(reason);
      const ask = {
        ...{ model, key, prompt: prompt(scene) },
        ...{ wrongBase: reason === "wrong_base_url", once: client.asksAgain.includes(reason), talks },
      };
      const until = (printed: string) => talks && shown.test(printed);
      const ran = await launch({ world, client, id, ask, until, msMax: REFUSAL_MS_MAX });
      expectText("what it prints", { text: `${ran.stdout}\n${ran.stderr}`, has: shown });
      expectEqual("whether it ended in time", { found: ran.timedOut, wanted: false });
      expectEqual("whether it failed", { found: ran.code !== 0, wanted: true });
      expectEqual("the requests that passed", { found: scene.requests, wanted: 0 });
    },
  };
}

/** Well-formed, but of another installation. */
const UNKNOWN_KEY = generateKeyString(count => crypto.getRandomValues(new Uint8Array(count)));

type Asked = Pick<Ask, "model" | "prompt"> & Partial<Pick<Ask, "key" | "wrongBase" | "once" | "talks">>;

async function launch(about: {
  world: World;
  client: Client;
  id: string;
  ask: Asked;
  until?: (printed: string) => boolean;
  msMax?: number;
}): Promise<Ran> {
  const { world, client, id, ask, until = () => false, msMax = RUN_MS_MAX } = about;
  const defaults = { key: world.key(id).key, wrongBase: false, once: false, talks: false };
  const place = world.place(id);
  const { command, env, files } = client.launch({ ...defaults, ...ask, place, root: world.root });
  writeFiles(files);
  const quiet = { NO_COLOR: "1", TERM: "dumb", LANG: "C.UTF-8", TMPDIR: place.home };
  const proxies = { HTTP_PROXY: NOWHERE, HTTPS_PROXY: NOWHERE, NO_PROXY: "127.0.0.1,localhost" };
  const all = { ...quiet, ...proxies, ...env };
  return runBounded({ command, env: all, cwd: place.work, msMax, until });
}

function sceneName(id: string): string {
  return id.replaceAll("-", "_");
}

function prompt({ mark }: Scene): string {
  return `Please do what ${mark} asks for.`;
}

function expectAnswer({ code, stdout, stderr, timedOut }: Ran, answer: string): void {
  const about = `what it prints (exit code ${code}${timedOut ? ", ended by the time limit" : ""})`;
  expectText(about, { text: stdout, has: answer });
  expectEqual(`the exit code (${stderr.slice(-500)})`, { found: code, wanted: 0 });
}

/** It was asked in its own dialect, and for the model by its own name. */
function expectHeard(about: { scene: Scene; dialect: Dialect; model: string }): void {
  const wanted = { dialect: about.dialect, model: upstreamModel(about.model) };
  for (const { dialect, model } of about.scene.heard)
    expectEqual("what the upstream is asked for", { found: { dialect, model }, wanted });
}

/** Every request that the upstream answered is on the log of the key, with the upstream's own figures. */
async function expectUsage(about: { world: World; scene: Scene; id: string; model: string }): Promise<void> {
  const { world, scene, id, model } = about;
  const wanted = scene.requests;
  const rows = await eventually(async () => {
    const found = await world.rows(world.key(id).id);
    return found.length === wanted && found.every(({ state }) => state === "settled") ? found : null;
  });
  if (rows === null) {
    const found = (await world.rows(world.key(id).id)).map(({ state, reason }) => ({ state, reason }));
    throw new Unexpected(`${wanted} usage rows should be settled, but there are ${JSON.stringify(found)}`);
  }
  for (const { model: asked, status, input_tokens, output_tokens, source } of rows)
    expectEqual("a usage row", {
      found: { asked, status, input_tokens, output_tokens, source },
      wanted: {
        asked: model,
        status: 200,
        input_tokens: INPUT_TOKENS,
        output_tokens: OUTPUT_TOKENS,
        source: "reported",
      },
    });
}

/** The sentence of the catalogue; what is not known of it may be anything. */
function pattern(reason: RefusalCase, params: Record<string, string>): string {
  const ANYTHING = "\u0000";
  const known = fill(catalogue[reason].message, params).replace(/\{\w+\}/g, ANYTHING);
  return known
    .split(ANYTHING)
    .map(part => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");
}

/** The one request of the minute. */
async function spendLimit(world: World, key: string): Promise<void> {
  const scene = world.upstream.scene("spent", [says("spent")]);
  const response = await fetch(`${world.root}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "mock-chat",
      messages: [{ role: "user", content: prompt(scene) }],
    }),
    signal: AbortSignal.timeout(10_000),
  });
  await response.text();
  expectEqual("the status of the request before", { found: response.status, wanted: 200 });
}
