import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import type { OutboundRequest } from "./answer.ts";
import { limits, listen, Rig, readAll } from "./http1-test-rig.ts";

const rig = new Rig();
afterEach(() => rig.close());

const openssl = Bun.which("openssl");
const folder = mkdtempSync(join(tmpdir(), "wicketgate-tls-"));
afterAll(() => rmSync(folder, { recursive: true }));

function certificate(altName: string): { key: string; cert: string } {
  const key = join(folder, "key.pem");
  const cert = join(folder, "cert.pem");
  const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test -keyout ${key} -out ${cert} -addext subjectAltName=${altName}`;
  const made = Bun.spawnSync([openssl ?? "openssl", ...options.split(" ")], { stderr: "ignore" });
  if (!made.success) throw new Error("openssl made no certificate");
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

async function secureServer(pair: { key: string; cert: string }) {
  const seen = { port: 0, requests: 0, connections: 0, alpn: "", serverName: "" };
  const server = tls.createServer({ ...pair, ALPNProtocols: ["h2", "http/1.1"] }, socket => {
    seen.connections += 1;
    seen.alpn = String(socket.alpnProtocol);
    seen.serverName = String("servername" in socket ? socket.servername : "");
    socket.on("error", () => undefined);
    socket.on("data", () => {
      seen.requests += 1;
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 200000\r\n\r\n");
      socket.write("x".repeat(200_000));
    });
  });
  server.on("tlsClientError", () => undefined);
  seen.port = await listen(server);
  rig.onClose(() => server.close());
  return seen;
}

function request(port: number): OutboundRequest {
  return { method: "GET", url: new URL(`https://localhost:${port}/`), headers: {}, body: null };
}

// Without openssl there is no certificate to test with.
describe.skipIf(openssl === null)("over TLS", () => {
  test("a certificate of a known authority for the right name is accepted, and the connection kept", async () => {
    const pair = certificate("DNS:localhost");
    const server = await secureServer(pair);
    const client = rig.client({ tls: { ca: pair.cert } });
    for (let count = 0; count < 3; count += 1) {
      const { bytes, failure } = await readAll(await client.send(request(server.port), limits).answer);
      expect([bytes.length, failure]).toEqual([200_000, null]);
    }
    expect(server).toMatchObject({ connections: 1, requests: 3, alpn: "http/1.1", serverName: "localhost" });
  });

  test("an unknown authority is refused, and no request is sent", async () => {
    const server = await secureServer(certificate("DNS:localhost"));
    const failure = await rig
      .client()
      .send(request(server.port), limits)
      .answer.catch(error => error);
    expect(failure.kind).toBe("connect");
    expect(failure.detail).toContain("SELF_SIGNED");
    expect(server.requests).toBe(0);
  });

  test("a certificate for another name is refused, and no request is sent", async () => {
    const pair = certificate("DNS:elsewhere.test");
    const server = await secureServer(pair);
    const client = rig.client({ tls: { ca: pair.cert } });
    const failure = await client.send(request(server.port), limits).answer.catch(error => error);
    expect(failure.kind).toBe("connect");
    expect(failure.detail).toContain("ALTNAME");
    expect(server.requests).toBe(0);
  });

  test("an upstream that does not speak it is a failure to connect", async () => {
    const server = await rig.answering("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
    const failure = await rig
      .client()
      .send(request(server.port), limits)
      .answer.catch(error => error);
    expect(failure.kind).toBe("connect");
  });
});
