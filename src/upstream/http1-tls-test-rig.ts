import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { listen, type Rig } from "./http1-test-rig.ts";

const openssl = Bun.which("openssl");

export const canCertify = openssl !== null;

export type Certificate = { key: string; cert: string };

/** Signed by itself, so that it is an authority too. */
export function certificate(altName: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "wicketgate-tls-"));
  const key = join(folder, "key.pem");
  const cert = join(folder, "cert.pem");
  const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test -keyout ${key} -out ${cert} -addext subjectAltName=${altName}`;
  const made = Bun.spawnSync([openssl ?? "openssl", ...options.split(" ")], { stderr: "ignore" });
  if (!made.success) throw new Error("openssl made no certificate");
  const pair = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  rmSync(folder, { recursive: true });
  return pair;
}

const LONG = `HTTP/1.1 200 OK\r\ncontent-length: 200000\r\n\r\n${"x".repeat(200_000)}`;

/** Answers whatever it is sent with 200,000 bytes, or as it is told to. */
export async function secureServer(
  rig: Rig,
  pair: Certificate,
  answer: (socket: tls.TLSSocket) => void = socket => socket.write(LONG),
) {
  const seen = { port: 0, requests: 0, connections: 0, closed: 0, alpn: "", serverName: "", received: "" };
  const server = tls.createServer({ ...pair, ALPNProtocols: ["h2", "http/1.1"] }, socket => {
    seen.connections += 1;
    seen.alpn = String(socket.alpnProtocol);
    seen.serverName = String("servername" in socket ? socket.servername : "");
    socket.on("error", () => undefined);
    socket.on("close", () => {
      seen.closed += 1;
    });
    socket.on("data", data => {
      seen.requests += 1;
      seen.received += data.toString("latin1");
      answer(socket);
    });
  });
  server.on("tlsClientError", () => undefined);
  seen.port = await listen(server);
  rig.onClose(() => server.close());
  return seen;
}
