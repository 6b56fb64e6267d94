import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import tls from "node:tls";
import { CANARY, list, listening, plainServer, type UpstreamRig, upstreamRig } from "./cli-upstream-rig.ts";

let rig: UpstreamRig;
beforeEach(async () => {
  rig = await upstreamRig();
});
afterEach(() => rig.end());

describe("upstream add refuses, in one sentence and without a trace,", () => {
  const answering = (status: number, body: string, headers: Record<string, string> = {}) =>
    rig.upstream.script(exchange => exchange.reply(status, body, headers));
  const base = (address: string) => rig.add("--all", "--base-url", address);

  test("a wrong key", async () => {
    answering(401, JSON.stringify({ error: { message: `Incorrect API key provided: ${CANARY}.` } }));
    await rig.expectRefused(
      rig.add("--all"),
      /does not accept the key \(401, and says: Incorrect API key provided: …\)/,
    );
  });

  test("no key where one is asked for", async () => {
    answering(403, "{}");
    const given = ["upstream", "add", "mine", "--kind", "vllm", "--base-url", rig.upstream.baseUrl, "--all"];
    await rig.expectRefused(rig.run(given), /asks for a key \(403\): give one with --api-key-env/);
    await rig.expectRefused(
      rig.run(["upstream", "add", "mine", "--kind", "openai", "--all"]),
      /There is no key: name the variable/,
    );
  });

  test("a wrong address", async () => {
    answering(404, JSON.stringify({ error: "not found" }));
    await rig.expectRefused(
      rig.add("--all"),
      /There is no list of models at .*\/models \(404\): correct the base address/,
    );
  });

  test("an address with an endpoint in it", async () => {
    const address = `${rig.upstream.baseUrl}/chat/completions`;
    await rig.expectRefused(
      base(address),
      /^--base-url must be the base address, .* write .*\/v1\. Nothing is saved/,
    );
    expect(rig.upstream.received).toEqual([]);
  });

  test("a web page", async () => {
    answering(200, "<!doctype html><title>Welcome</title>", { "content-type": "text/html" });
    await rig.expectRefused(
      rig.add("--all"),
      /answers with a web page and not as an API: correct the base address/,
    );
    answering(404, "<html><body>404 nginx</body></html>", { "content-type": "text/html" });
    await rig.expectRefused(rig.add("--all"), /There is no list of models/);
  });

  test("a redirect, which is not followed", async () => {
    answering(301, "", { location: "https://example.org/v1/models" });
    await rig.expectRefused(rig.add("--all"), /redirects to https:\/\/example\.org\/v1\/models \(301\)/);
  });

  test("one that gives the key back, or steers the terminal", async () => {
    answering(302, "", { location: `https://example.org/?key=${CANARY}` });
    await rig.expectRefused(rig.add("--all"), /redirects to https:\/\/example\.org\/\?key=… \(302\)/);
    answering(400, JSON.stringify({ error: { message: "red \u001b[31m alert" } }));
    await rig.expectRefused(rig.add("--all"), /refuses this \(400, and says: red \ufffd\[31m alert\)/);
    answering(200, list(`model-${CANARY}`, "alpha"));
    await rig.expectRefused(rig.add(), /take all 1 with --all\. It lists alpha\./);
  });

  test("an answer that is no list, and one that fails", async () => {
    answering(200, JSON.stringify({ error: { message: "no" } }));
    await rig.expectRefused(rig.add("--all"), /answers, but not with a list of models/);
    answering(503, "");
    await rig.expectRefused(rig.add("--all"), /fails \(503\): try again later/);
  });

  test("an empty list", async () => {
    answering(200, list());
    await rig.expectRefused(rig.add("--all"), /lists no models: load one there/);
  });

  test("a list without end", async () => {
    rig.upstream.script(exchange => exchange.firehose(Buffer.alloc(1024 * 1024, " ")));
    await rig.expectRefused(rig.add("--all"), /lists more than can be taken/);
  });

  test("a closed port", async () => {
    const { port, close } = await plainServer(() => {});
    await close();
    await rig.expectRefused(
      base(`http://127.0.0.1:${port}/v1`),
      /Nothing listens at 127\.0\.0\.1:\d+: start/,
    );
  });

  test("a metadata address", async () => {
    await rig.expectRefused(
      base("http://169.254.169.254/v1"),
      /169\.254\.169\.254 cannot be reached: .*refused/,
    );
  });

  test("a server without TLS behind https", async () => {
    const plain = await plainServer(socket => {
      socket.on("data", () => socket.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n"));
    });
    await rig.expectRefused(
      base(`https://127.0.0.1:${plain.port}/v1`),
      /makes no secure connection .* write http:/,
    );
    await plain.close();
  });

  test("a model that is not listed, with the name that was meant", async () => {
    await rig.expectRefused(rig.add("--models", "alpa"), /does not list alpa: did you mean alpha\?/);
  });

  test("a choice that was not made, with what there is", async () => {
    await rig.expectRefused(
      rig.add(),
      /choose with --models NAME,NAME, or take all 2 with --all\. It lists alpha, beta\. Nothing is saved\.\n$/,
    );
  });
});

describe.skipIf(Bun.which("openssl") === null)("upstream add over TLS", () => {
  test("refuses a self-signed certificate, and says what to do about it", async () => {
    const [key, cert] = ["key.pem", "cert.pem"].map(name => join(rig.dir, name));
    const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test -keyout ${key} -out ${cert} -addext subjectAltName=DNS:localhost`;
    Bun.spawnSync([Bun.which("openssl") ?? "", ...options.split(" ")], { stderr: "ignore" });
    const pair = { key: await Bun.file(key ?? "").text(), cert: await Bun.file(cert ?? "").text() };
    let heard = "";
    const server = tls.createServer(pair, socket => {
      socket.on("error", () => {});
      socket.on("data", bytes => {
        heard += bytes.toString();
      });
    });
    server.on("tlsClientError", () => {});
    const { port, close } = await listening(server);
    const ran = rig.add("--all", "--base-url", `https://localhost:${port}/v1`);
    await rig.expectRefused(ran, /^The certificate of localhost:\d+ is self-signed .* NODE_EXTRA_CA_CERTS/);
    expect(heard).toBe("");
    await close();
  });
});

describe("upstream add, called wrongly,", () => {
  test.each([
    [["--kind", "opnai"], /--kind must be one of openai, .*\nDid you mean --kind openai\?/],
    [["--kind", "vllm", "--models", "a,,b"], /--models must be names with commas between/],
    [["--kind", "vllm", "--models", "a,a=b"], /--models names “a” twice/],
    [["--kind", "vllm", "--models", "a", "--all"], /exclude each other/],
    [["--kind", "vllm", "--models", "a", "--weight", "0"], /--weight must be a whole number from 1/],
    [["--kind", "vllm", "--models", "a", "--speaks", "latin"], /--speaks must/],
    [["--kind", "openai", "--api-key", CANARY], /There is no option --api-key\.\nDid you mean --api-key-/],
    [
      ["--kind", "openai", "--api-key-env", CANARY],
      /--api-key-env takes the name of an environment variable/,
    ],
  ] as const)("with %j is told so, and no key is repeated", async (argv, sentence) => {
    const { code, out, err } = await rig.run(["upstream", "add", "mine", ...argv]);
    expect(err).toMatch(sentence);
    expect([code, out]).toEqual([2, ""]);
    expect(err).not.toContain(CANARY);
    expect(existsSync(rig.dataDir)).toBe(false);
  });

  test("without the address of a kind that has none is told what it looks like", async () => {
    const given = ["upstream", "add", "mine", "--kind", "openai-compatible", "--models", "a"];
    await rig.expectRefused(rig.run(given), /^--base-url is missing: .* such as https:/);
  });
});
