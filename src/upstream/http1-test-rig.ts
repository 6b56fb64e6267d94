import net from "node:net";
import type { Answer, OutboundLimits, OutboundRequest, UpstreamFailure } from "./answer.ts";
import { type OutboundOptions, outbound } from "./http1.ts";

export type TestServer = {
  port: number;
  /** How many connections were accepted, and how many of them are closed. */
  accepted: number;
  closed: number;
  onAccept?: (socket: net.Socket) => void;
};

/** Raw servers on loopback and clients for them, all closed by `close`. */
export class Rig {
  readonly #closers: (() => void)[] = [];

  async server(
    onConnection: (socket: net.Socket, server: TestServer) => void,
    where: Where = {},
  ): Promise<TestServer> {
    const state: TestServer = { port: 0, accepted: 0, closed: 0 };
    const sockets = new Set<net.Socket>();
    const server = net.createServer(socket => {
      state.accepted += 1;
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        state.closed += 1;
      });
      state.onAccept?.(socket);
      onConnection(socket, state);
    });
    state.port = await listen(server, where);
    this.#closers.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return state;
  }

  /** Answers every request, one after the other, with the same pieces, each in a write of its own. */
  answering(...pieces: string[]): Promise<TestServer> {
    return this.server(socket => {
      socket.setNoDelay(true);
      socket.on("data", () => writeInTurn(socket, pieces));
    });
  }

  client(options: Partial<OutboundOptions> = {}) {
    const client = outbound({
      idleConnectionsMax: 10,
      idleConnectionMsMax: 60_000,
      receiveWindowBytes: 32_768,
      privateUpstreams: [],
      httpsProxy: null,
      noProxy: [],
      ...options,
    });
    this.#closers.push(client.close);
    return client;
  }

  onClose(closer: () => void): void {
    this.#closers.push(closer);
  }

  close(): void {
    for (const closer of this.#closers.splice(0)) closer();
  }
}

export const limits: OutboundLimits = {
  connectMsMax: 5000,
  firstByteMsMax: 5000,
  idleMsMax: 5000,
  headerBytesMax: 16_384,
};

export function get(port: number, extra: Partial<OutboundRequest> = {}): OutboundRequest {
  return { method: "GET", url: new URL(`http://127.0.0.1:${port}/a?b=c`), headers: {}, body: null, ...extra };
}

/** The whole body, and how it ended. */
export function readAll(answer: Answer): Promise<{ bytes: Buffer; failure: UpstreamFailure | null }> {
  return new Promise(resolve => {
    const pieces: Uint8Array[] = [];
    answer.read({
      onBytes: bytes => pieces.push(bytes),
      onEnd: () => resolve({ bytes: Buffer.concat(pieces), failure: null }),
      onFailure: failure => resolve({ bytes: Buffer.concat(pieces), failure }),
    });
  });
}

/** The kind of the failure the promise is rejected with. */
export function kindOf(answer: Promise<Answer>): Promise<string> {
  return answer.then(
    () => "answered",
    (failure: UpstreamFailure) => failure.kind,
  );
}

export async function until(condition: () => boolean, msMax = 2000): Promise<boolean> {
  const endMs = performance.now() + msMax;
  while (!condition() && performance.now() < endMs) await Bun.sleep(2);
  return condition();
}

type Where = { host?: string; port?: number };

export function listen(server: net.Server, { host = "127.0.0.1", port = 0 }: Where = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      if (address !== null && typeof address === "object") resolve(address.port);
    });
  });
}

async function writeInTurn(socket: net.Socket, pieces: string[]): Promise<void> {
  for (const piece of pieces) {
    socket.write(piece, "latin1");
    if (pieces.length > 1) await Bun.sleep(1);
  }
}
