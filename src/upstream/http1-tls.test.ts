import { afterEach, describe, expect, test } from "bun:test";
import type { OutboundRequest } from "./answer.ts";
import { limits, Rig, readAll } from "./http1-test-rig.ts";
import { canCertify, certificate, secureServer as listening } from "./http1-tls-test-rig.ts";

const rig = new Rig();
afterEach(() => rig.close());

const secureServer = (pair: { key: string; cert: string }) => listening(rig, pair);

function request(port: number): OutboundRequest {
  return { method: "GET", url: new URL(`https://localhost:${port}/`), headers: {}, body: null };
}

// Without openssl there is no certificate to test with.
describe.skipIf(!canCertify)("over TLS", () => {
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
