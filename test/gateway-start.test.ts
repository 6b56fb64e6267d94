import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  applyYaml,
  eventually,
  freshDir,
  keyOf,
  plainEnvironment,
  ROOT,
  removeDir,
  settledRow,
  startGateway,
  verifyClean,
  wicketgate,
} from "./harness.ts";
import { chat, chatBody, openStream } from "./harness-client.ts";

/** The first minute: one command, a line to paste, and an orderly end. */

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function ownDir(): string {
  const dir = freshDir();
  cleanUps.push(() => removeDir(dir));
  return dir;
}

type Printed = { text: () => string; stop: () => Promise<number> };

/** `serve` as a person starts it, with what it prints. */
function serve(dir: string): Printed {
  const child = Bun.spawn([process.execPath, join("src", "main.ts"), "serve"], {
    cwd: ROOT,
    env: plainEnvironment({ PORT: "0", WICKETGATE_DATA_DIR: dir }),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  let text = "";
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const piece of child.stdout) text += decoder.decode(piece, { stream: true });
  })();
  const stop = async () => {
    if (child.exitCode === null) child.kill("SIGTERM");
    const code = await child.exited;
    await reading;
    return code;
  };
  cleanUps.push(stop);
  return { text: () => text, stop };
}

/** The command that is printed, from `curl` to the end of its last line. */
async function printedCommand(printed: Printed): Promise<string> {
  const found = await eventually(() => /^curl (?:.*\\\n)*.*\n/m.exec(printed.text())?.[0] ?? null, 20_000);
  if (found === null) throw new Error(`no command was printed: ${printed.text()}`);
  return found;
}

async function paste(command: string): Promise<{ code: number; stdout: string }> {
  const child = Bun.spawn(["sh", "-c", command], {
    env: plainEnvironment(),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    timeout: 10_000,
  });
  return { stdout: await new Response(child.stdout).text(), code: await child.exited };
}

function expectAnswer({ code, stdout }: { code: number; stdout: string }): void {
  expect(code).toBe(0);
  const answer = JSON.parse(stdout) as { choices: { message: { content: string } }[] };
  expect(answer.choices[0]?.message.content.length).toBeGreaterThan(0);
}

describe("on an empty data directory, serve", () => {
  test("prints a command that answers when it is pasted, again after a second start, and ends with 0", async () => {
    const dir = join(ownDir(), "data");
    const keys: string[] = [];
    for (let start = 0; start < 2; start++) {
      const printed = serve(dir);
      const command = await printedCommand(printed);
      expect(printed.text()).toMatch(/http:\/\/127\.0\.0\.1:\d+\/v1/);
      expectAnswer(await paste(command));
      keys.push(/wgk_\w+/.exec(command)?.[0] ?? "");
      expect(await printed.stop()).toBe(0);
    }
    expect(keys[0]).toBe(keys[1] ?? "");
    await verifyClean(dir);
  });

  test("makes files that nobody else can read", async () => {
    const dir = join(ownDir(), "data");
    const printed = serve(dir);
    await printedCommand(printed);
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(mode(dir)).toBe("700");
    const files = readdirSync(dir);
    expect(files).toContain("secret");
    expect(files.map(file => [file, mode(join(dir, file))])).toEqual(files.map(file => [file, "600"]));
  });

  test("makes them so in a directory that is open to all", async () => {
    const dir = join(ownDir(), "data");
    mkdirSync(dir, { mode: 0o755 });
    await printedCommand(serve(dir));
    const files = readdirSync(dir).map(file => [file, statSync(join(dir, file)).mode & 0o077]);
    expect(files).toEqual(files.map(([file]) => [file ?? "", 0]));
  });
});

describe("a bad setting", () => {
  test("stops the start with 2, every problem is named, and nothing is made", async () => {
    const dir = join(ownDir(), "data");
    const env = {
      PORT: "seventy",
      WICKETGATE_DEMO: "perhaps",
      WICKETGATE_PUBLIC_URL: "gate.example.org/v1",
      WICKETGATE_LOG_LEVEL: "loud",
      WICKETGATE_SECRET: "too-short-secret",
      WICKETGATE_TRUSTED_PROXIES: "everybody",
      WICKETGATE_BODY_MIB: "-1",
    };
    const { code, stderr, stdout } = await wicketgate(dir, ["serve"], { env });
    expect(code).toBe(2);
    for (const name of Object.keys(env)) expect(stderr + stdout).toContain(name);
    expect(stderr + stdout).not.toContain("too-short-secret");
    expect(existsSync(dir)).toBe(false);
  });

  test("a port that is taken is said to be so", async () => {
    const dir = ownDir();
    const gateway = await startGateway(dir);
    cleanUps.push(gateway.stop);
    const second = await wicketgate(ownDir(), ["serve"], { env: { PORT: new URL(gateway.url).port } });
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/in use/);
  });
});

describe("SIGTERM", () => {
  const yaml = `
upstreams: [{ name: demo, kind: demo, models: { slow: demo-delay-20-tokens-60, endless: demo-delay-50-tokens-100000 } }]
models:
  - { name: slow, price: { input: 1, output: 1 } }
  - { name: endless, price: { input: 1, output: 1 } }
groups: [{ name: default, models: [slow, endless] }]
accounts: [{ email: ann@example.org, balance: 10 }]
keys: [{ account: ann@example.org, name: laptop, group: default }]
`;

  test("lets a running stream finish, takes nothing new, and exits with 0", async () => {
    const dir = ownDir();
    const { key } = keyOf(await applyYaml(dir, yaml), "laptop");
    const gateway = await startGateway(dir);
    const seen = await openStream(gateway.base, { key, body: chatBody("slow", { stream: true }) });
    await seen.bytes(500);
    const stopped = gateway.stop();
    // A request that came before the signal would be let in, and take as long as the stream.
    expect(await eventually(async () => (await fetch(`${gateway.url}/readyz`)).status === 503)).toBe(true);
    const refused = await chat(gateway.base, { key, body: chatBody("slow") });
    expect(refused.status).toBe(503);
    expect(refused.error).toMatchObject({ reason: "draining", cause: "gateway" });
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect(await seen.ended).toBe(true);
    expect(seen.text()).toEndWith("data: [DONE]\n\n");
    expect(await stopped).toBe(0);
    expect(await settledRow(dir, seen.requestId)).toMatchObject({ status: 200, source: "reported" });
    await verifyClean(dir);
  });

  test("ends what does not finish in time properly, and bills it", async () => {
    const dir = ownDir();
    const { key } = keyOf(await applyYaml(dir, yaml), "laptop");
    const gateway = await startGateway(dir, { WICKETGATE_DRAIN_SECONDS: "1" });
    const seen = await openStream(gateway.base, { key, body: chatBody("endless", { stream: true }) });
    await seen.bytes(500);
    expect(await gateway.stop()).toBe(0);
    await seen.ended;
    expect(seen.text()).toContain('"reason":"draining"');
    expect(seen.text()).not.toContain("[DONE]");
    const row = await settledRow(dir, seen.requestId);
    expect(row).toMatchObject({ state: "settled", reason: "draining" });
    expect(row.output_tokens).toBeGreaterThan(0);
    await verifyClean(dir);
  });
});
