import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { wellAs } from "./failover-rig.ts";
import {
  eventually,
  freshDir,
  type Gateway,
  mustRun,
  removeDir,
  setEnvironment,
  startGateway,
  wicketgate,
} from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";
import {
  chatCompletion,
  chatEvent,
  type MockUpstream,
  mockUpstream,
  type Script,
  usageOf,
} from "./harness-upstream.ts";

/** An upstream's keys, which it repeats wherever it can, are looked for in everything that anybody can see. */

const CANARIES = ["canary-5b1f0c9e7a3d4826-first-key", "canary-e04d9a6b3c7f1258-second-key"];
const FORMS = CANARIES.flatMap(plain => [
  plain,
  Buffer.from(plain).toString("base64").replace(/=+$/, "").slice(0, -1),
  Buffer.from(plain).toString("base64url").replace(/=+$/, "").slice(0, -1),
  Buffer.from(plain).toString("hex"),
  [...plain].toReversed().join(""),
  // Even the better half of one is too much.
  plain.slice(0, 24),
]);

const dir = freshDir();
let upstream: MockUpstream;
let gateway: Gateway;
let key: string;
const seen: [where: string, text: string][] = [];
const saw = (where: string, text: string) => void seen.push([where, text]);

beforeAll(async () => {
  upstream = await mockUpstream(wellAs("mine"));
  setEnvironment(dir, {
    ...{ WICKETGATE_DEMO: "off", WICKETGATE_LOG_LEVEL: "debug", WICKETGATE_CREDENTIAL_REST_SECONDS: "1" },
    ...{ WICKETGATE_FIRST_BYTE_SECONDS: "2", WICKETGATE_FIRST_BYTE_STREAM_SECONDS: "2" },
  });
  const env = { FIRST_CANARY: CANARIES[0] ?? "", SECOND_CANARY: CANARIES[1] ?? "" };
  const yaml = `
upstreams:
  - name: mine
    kind: openai-compatible
    base_url: "${upstream.baseUrl}"
    speaks: [chat]
    api_keys: ["\${FIRST_CANARY}", "\${SECOND_CANARY}"]
    models: [m]
models:
  - { name: m, max_output_tokens: 100, price: { input: 1, output: 10 } }
groups:
  - { name: default, models: [m] }
accounts:
  - { email: ann@example.org, balance: 1000 }
keys:
  - { account: ann@example.org, name: laptop, group: default }
`;
  const applied = await mustRun(dir, ["apply", "-", "--json"], { stdin: yaml, env });
  saw("apply", applied);
  const { keys } = JSON.parse(applied) as { keys: { name: string; key: string }[] };
  key = keys[0]?.key ?? "";
  saw("apply again", await mustRun(dir, ["apply", "-"], { stdin: yaml, env }));
  gateway = await startGateway(dir);
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
  removeDir(dir);
});

const keyIn = (exchange: Parameters<Script>[0]) =>
  exchange.received.headers.get("authorization")?.replace("Bearer ", "") ?? "";

const echo = (status: number, headers: (plain: string) => Record<string, string> = () => ({})): Script => {
  return exchange => {
    const plain = keyIn(exchange);
    const error = { message: `no: ${plain}`, type: plain, code: plain, param: plain };
    return exchange.reply(status, JSON.stringify({ error, [plain]: plain }), headers(plain));
  };
};

const SCRIPTS: Readonly<Record<string, Script>> = {
  ...Object.fromEntries(
    [400, 401, 402, 403, 404, 413, 422, 429, 500, 503, 529].map(code => [code, echo(code)]),
  ),
  "a redirect to a place that has it": echo(302, plain => ({ location: `http://127.0.0.1:1/${plain}` })),
  "headers that repeat it": echo(500, plain => ({
    "www-authenticate": plain,
    "x-key": plain,
    "retry-after": plain,
  })),
  "a type that is it": exchange => exchange.reply(200, keyIn(exchange), { "content-type": keyIn(exchange) }),
  "a page with it": exchange =>
    exchange.reply(200, `<html>${keyIn(exchange)}</html>`, { "content-type": "text/html" }),
  "an error in a good answer": exchange =>
    exchange.reply(200, JSON.stringify({ error: { message: keyIn(exchange) } })),
  "no HTTP at all": async exchange => {
    await exchange.write(`${keyIn(exchange)}\r\n\r\n`);
    exchange.cut();
  },
  "a status line with it": async exchange => {
    await exchange.write(`HTTP/1.1 ${keyIn(exchange)} ${keyIn(exchange)}\r\n${keyIn(exchange)}\r\n\r\n`);
    exchange.cut();
  },
  "a head line with it": async exchange => {
    await exchange.write(`HTTP/1.1 200 OK\r\ncontent-length: ${keyIn(exchange)}\r\n\r\n`);
    exchange.cut();
  },
  "a size of a piece that is it": async exchange => {
    await exchange.begin();
    await exchange.write(`${keyIn(exchange)}\r\n`);
    exchange.cut();
  },
  "a compressed answer of that name": exchange =>
    exchange.reply(200, "x", { "content-encoding": keyIn(exchange) }),
  "an error event": async exchange => {
    const error = JSON.stringify({ error: { message: keyIn(exchange), type: keyIn(exchange) } });
    await exchange.stream([`data: ${error}\n\n`, `event: error\ndata: ${error}\n\n`]);
  },
  "an error event in the middle": async exchange => {
    const error = JSON.stringify({ error: { message: keyIn(exchange) } });
    await exchange.stream([chatEvent({ content: "Hello" }), `data: ${error}\n\n`]);
  },
  "half an answer": async exchange => {
    const whole = chatCompletion(keyIn(exchange), usageOf(1, 1));
    await exchange.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${whole.length}\r\n\r\n`,
    );
    await exchange.write(whole.slice(0, -5));
    exchange.cut();
  },
};

async function askAll(name: string): Promise<void> {
  const said = [{ role: "user" as const, content: "hello" }];
  const messages = { model: "m", max_tokens: 50, messages: said };
  const post = (path: string, body: unknown) =>
    fetch(`${gateway.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
  const answers = await Promise.all([
    chat(gateway.base, { key, body: chatBody("m") }).then(
      ({ text, headers }) => text + JSON.stringify([...headers]),
    ),
    chat(gateway.base, { key, body: chatBody("m", { stream: true }) }).then(
      ({ text, headers }) => text + JSON.stringify([...headers]),
    ),
    ...[messages, { ...messages, stream: true }].map(async body => {
      const response = await post("/v1/messages", body);
      return (await response.text()) + JSON.stringify([...response.headers]);
    }),
    post("/v1/responses", { model: "m", input: "hello", stream: true }).then(response => response.text()),
  ]);
  for (const answer of answers) saw(`an answer to ${name}`, answer);
}

/** Everything under a folder, and what is inside of what is compressed. */
function filesOf(folder: string): [string, string][] {
  return readdirSync(folder).flatMap((name): [string, string][] => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesOf(path);
    if (!statSync(path).isFile()) return [];
    const bytes = readFileSync(path);
    const inside = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes).toString("latin1") : "";
    return [[path, bytes.toString("latin1") + inside]];
  });
}

describe("an upstream's key", () => {
  for (const [name, script] of Object.entries(SCRIPTS)) {
    test(`is not in what a client gets for ${name}`, async () => {
      const from = seen.length;
      // Whatever was held against it before must not keep the request from it.
      await mustRun(dir, ["upstream", "reset", "mine"]);
      const before = upstream.received.length;
      upstream.script(script);
      await Bun.sleep(450);
      await askAll(name);
      expect(upstream.received.length).toBeGreaterThan(before);
      for (const [, text] of seen.slice(from)) {
        for (const form of FORMS) expect(text.includes(form)).toBe(false);
      }
    });
  }

  test("was used, both of them", () => {
    const used = new Set(upstream.received.map(({ headers }) => headers.get("authorization")));
    for (const plain of CANARIES) expect(used).toContain(`Bearer ${plain}`);
  });

  test("is not in what the operator is told, the copies, the files, the metrics, nor the last words of a crash", async () => {
    upstream.script(echo(401));
    const commands = [
      ...[
        ["upstream", "list", "--json"],
        ["upstream", "list"],
        ["upstream", "key", "list", "mine", "--json"],
      ],
      ...[
        ["upstream", "health", "--json"],
        ["upstream", "health", "--name", "mine"],
      ],
      ...[
        ["upstream", "test", "mine", "--json"],
        ["upstream", "test", "mine", "--debug"],
      ],
      ...[["usage", "--json", "--limit", "200"], ["config", "--json"], ["config"], ["doctor", "--json"]],
      ...[
        ["verify", "--json"],
        ["key", "list", "--json"],
        ["account", "list", "--json"],
      ],
    ];
    for (const args of commands) {
      const { stdout, stderr } = await wicketgate(dir, args);
      saw(args.join(" "), stdout + stderr);
    }
    // The same key again, and one more that is wrong in form: neither is repeated.
    for (const stdin of [`${CANARIES[0]}\n`, `${CANARIES[0]} with-a-blank\n`]) {
      const { code, stdout, stderr } = await wicketgate(dir, ["upstream", "key", "add", "mine"], { stdin });
      expect(code).toBe(1);
      saw("upstream key add", stdout + stderr);
    }
    saw("metrics", await (await fetch(`${gateway.url}/metrics`)).text());
    const copy = join(dir, "copy.wicketgate");
    saw("backup", await mustRun(dir, ["backup", copy]));
    upstream.script(() => {});
    void chat(gateway.base, { key, body: chatBody("m", { stream: true }) }).catch(() => undefined);
    await eventually(() => upstream.exchanges.at(-1)?.isOpen === true);
    // As it is after a crash: the log of the database not yet tidied up.
    process.kill(gateway.pid, "SIGABRT");
    await gateway.exited;
    saw("log", gateway.log());
    const files = filesOf(dir);
    const names = files.map(([path]) => path.slice(dir.length + 1));
    for (const name of ["wicketgate.db", "wicketgate.db-wal", "copy.wicketgate"])
      expect(names).toContain(name);
    for (const [path, text] of files) saw(path, text);
    for (const [where, text] of seen) {
      const found = FORMS.find(form => text.includes(form));
      expect({ where, found }).toEqual({ where, found: undefined });
    }
    expect(gateway.log()).toContain("upstream.credential_refused");
    expect(gateway.log()).toContain("upstream.echoes_credential");
    gateway = await startGateway(dir);
  });
});
