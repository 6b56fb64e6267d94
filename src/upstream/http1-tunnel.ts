import type { Socket, SocketHandler } from "bun";
import { UpstreamFailure } from "./answer.ts";
import { parseHead } from "./http1-head.ts";

export type TunnelListener = {
  /** False if it comes too late to be of use. */
  onOpen: (tunnel: Tunnel) => boolean;
  /** From here on the socket leads to the upstream itself. */
  onReady: (socket: Socket<Tunnel>) => void;
  onFailure: (failure: UpstreamFailure) => void;
};

const REPLY_BYTES_MAX = 16_384;
const HEAD_END = "\r\n\r\n";
const CREDENTIAL_WANTED = 407;

/** Asks a proxy for a way through. It never sees more than names and ciphertext. */
export class Tunnel {
  #socket: Socket<Tunnel> | null = null;
  #reply = "";
  #isOver = false;

  constructor(
    readonly request: string,
    readonly listener: TunnelListener,
  ) {}

  onOpen(socket: Socket<Tunnel>): void {
    this.#socket = socket;
    if (this.#isOver || !this.listener.onOpen(this)) {
      this.close();
      return;
    }
    // Some hundred bytes into an empty buffer: a socket that does not take them takes nothing.
    if (socket.write(this.request) !== this.request.length) this.#fail("connect", "it took no request");
  }

  onData(socket: Socket<Tunnel>, bytes: Buffer): void {
    // After it is ready these are the bytes that the secure socket above reads by itself.
    if (this.#isOver) return;
    this.#reply += bytes.toString("latin1");
    const end = this.#reply.indexOf(HEAD_END);
    if (end < 0) {
      if (this.#reply.length > REPLY_BYTES_MAX) this.#fail("limit", "its reply is too long");
      return;
    }
    const problem = replyProblem(this.#reply, end);
    if (problem !== null) {
      this.#fail("connect", problem);
      return;
    }
    this.#isOver = true;
    this.listener.onReady(socket);
  }

  onLost(): void {
    this.#fail("connect", "it closed the connection");
  }

  /** Says nothing more. */
  close(): void {
    this.#isOver = true;
    this.#socket?.terminate();
  }

  #fail(kind: "connect" | "limit", detail: string): void {
    if (this.#isOver) return;
    this.close();
    this.listener.onFailure(new UpstreamFailure(kind, `the proxy of HTTPS_PROXY opened no way: ${detail}`));
  }
}

function replyProblem(reply: string, end: number): string | null {
  // A server of TLS waits to be spoken to: whoever speaks first is not one.
  if (end + HEAD_END.length < reply.length) return "it sent more than a reply";
  try {
    const { status } = parseHead(reply.slice(0, end + 2));
    if (status >= 200 && status < 300) return null;
    return status === CREDENTIAL_WANTED ? "it wants another user name or password" : `status ${status}`;
  } catch {
    return "its reply is not HTTP";
  }
}

/** A host name or address with its port, as CONNECT wants it. */
export function connectRequest(target: string, authorization: string | null): string {
  const credential = authorization === null ? "" : `proxy-authorization: ${authorization}\r\n`;
  return `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${credential}${"\r\n"}`;
}

export const tunnelHandler: SocketHandler<Tunnel> = {
  binaryType: "buffer",
  open: socket => socket.data.onOpen(socket),
  data: (socket, bytes) => socket.data.onData(socket, bytes),
  end: socket => socket.data.onLost(),
  close: socket => socket.data.onLost(),
  error: socket => socket.data.onLost(),
};
