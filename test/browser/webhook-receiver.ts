import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A program on loopback that takes what webhooks send, and answers as it is told. */

export type Received = { headers: Record<string, string>; body: string };

export type Receiver = {
  url: string;
  received: Received[];
  /** What it answers from now on. */
  answer: (status: number, text?: string) => void;
  close: () => Promise<void>;
};

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  let [status, text] = [200, "thanks"];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", piece => pieces.push(piece as Buffer));
    request.on("end", () => {
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      );
      received.push({ headers, body: Buffer.concat(pieces).toString("utf8") });
      response.writeHead(status, { "content-type": "text/plain" }).end(text);
    });
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    received,
    answer: (next, said = "") => {
      [status, text] = [next, said];
    },
    close: () => new Promise(resolve => server.close(() => resolve())),
  };
}

/** By the specification alone, not by the code under test. */
export function signatureOf({ headers, body }: Received, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}
