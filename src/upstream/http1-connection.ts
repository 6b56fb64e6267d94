import type { Socket, SocketHandler } from "bun";
import { UpstreamFailure } from "./answer.ts";
import type { Call, Carrier } from "./http1-call.ts";
import type { Deadlines, Timed } from "./http1-deadlines.ts";
import { ResponseParser } from "./http1-parse.ts";
import { RequestWriter } from "./http1-write.ts";
import { limitReceiveWindow } from "./receive-window.ts";

/** Who the connection belongs to, and what it is told. */
export type ConnectionOwner = {
  readonly deadlines: Deadlines;
  readonly receiveWindowBytes: number;
  readonly idleMsMax: number;
  /** Healthy and free: it may be given another call, or destroyed. */
  onFree: (connection: Connection) => void;
  onClosed: (connection: Connection) => void;
  /** A kept connection was closed by the other side before it answered at all: send the call elsewhere. */
  onStale: (call: Call) => void;
};

type Phase = "connecting" | "waiting" | "reading" | "free" | "closed";

const REFUSED_STATUS_MIN = 400;

/** One socket, which carries one call at a time. */
export class Connection implements Carrier, Timed {
  deadlineMs = Number.POSITIVE_INFINITY;
  #phase: Phase = "connecting";
  #socket: Socket<Connection> | null = null;
  #socketPaused = false;
  #call: Call | null;
  readonly #parser = new ResponseParser();
  readonly #writer = new RequestWriter({
    onMore: () => this.#onMore(),
    onFailure: failure => this.#fail(failure),
  });
  #used = false;

  constructor(
    readonly owner: ConnectionOwner,
    readonly secure: boolean,
    first: Call,
  ) {
    this.#call = first;
    first.carrier = this;
    this.#parser.reset(first.limits.headerBytesMax);
    this.#writer.load(first);
    owner.deadlines.add(this);
    owner.deadlines.set(this, first.limits.connectMsMax);
  }

  /** Only for a free connection. */
  carry(call: Call): void {
    this.#used = true;
    this.#call = call;
    call.carrier = this;
    this.#parser.reset(call.limits.headerBytesMax);
    this.#writer.load(call);
    this.#start(call);
  }

  #start(call: Call): void {
    this.#phase = "waiting";
    this.owner.deadlines.set(this, call.limits.firstByteMsMax);
    this.#write();
  }

  #write(): void {
    if (this.#socket !== null && !this.#writer.write(this.#socket)) this.onLost("the socket was closed");
  }

  /** A piece of the body has come that is to be sent on. */
  #onMore(): void {
    if (this.#phase === "waiting" && this.#call !== null)
      this.owner.deadlines.set(this, this.#call.limits.firstByteMsMax);
    else this.onFlowChange();
    this.#write();
  }

  onOpen(socket: Socket<Connection>): void {
    if (this.#phase === "closed" || this.#socket !== null) {
      // Given up while connecting, when there was no socket to close yet; or another address was faster.
      socket.terminate();
      return;
    }
    this.#socket = socket;
    limitReceiveWindow(socket, this.owner.receiveWindowBytes);
    if (!this.secure) this.#onReady();
  }

  onHandshake(success: boolean, error: Error | null): void {
    if (this.#phase !== "connecting") return;
    if (success && error === null && this.#socket?.authorized === true) this.#onReady();
    else this.#fail(new UpstreamFailure("connect", `TLS was refused: ${describe(error)}`));
  }

  /** Of several sockets that were tried, only one is this connection's. */
  isOn(socket: Socket<Connection>): boolean {
    return this.#socket === socket;
  }

  #onReady(): void {
    if (this.#call !== null) this.#start(this.#call);
  }

  onConnectError(error: unknown): void {
    if (this.#phase !== "connecting") return;
    this.#fail(error instanceof UpstreamFailure ? error : new UpstreamFailure("connect", describe(error)));
  }

  onDrain(): void {
    if (this.#call === null || this.#writer.done) return;
    // A request that is still being taken is not late: the wait for the first byte starts anew.
    if (this.#phase === "waiting") this.owner.deadlines.set(this, this.#call.limits.firstByteMsMax);
    this.#write();
  }

  onData(bytes: Buffer): void {
    const call = this.#call;
    if (this.#phase === "closed") return;
    if (call === null || this.#phase === "connecting") {
      this.destroy();
      return;
    }
    this.#phase = "reading";
    const parser = this.#parser;
    const hadHead = parser.head !== null;
    const body = parser.feed(bytes);
    if (!hadHead && parser.head !== null) {
      // Whoever refuses a body before it is whole does not want the rest.
      if (parser.head.status >= REFUSED_STATUS_MIN) this.#writer.stop();
      call.onHead(parser.head);
    }
    const { complete, failure } = parser;
    // Freed before delivery: what the consumer does with the last bytes no longer concerns the socket, which may
    // carry the next call, and the parser its answer, before this one has returned.
    if (complete) this.#release(call);
    if (body !== null) call.onBytes(body);
    if (complete) call.onEnd();
    else if (failure !== null) this.#fail(failure);
    else this.onFlowChange();
  }

  #release(call: Call): void {
    this.#call = null;
    // An abort from now on must not close a connection that may carry another call already.
    call.carrier = null;
    if (!this.#writer.done || this.#parser.surplus || this.#parser.head?.keepAlive !== true) {
      this.destroy();
      return;
    }
    this.#phase = "free";
    this.#setReading(true);
    this.owner.deadlines.set(this, this.owner.idleMsMax);
    this.owner.onFree(this);
  }

  onFlowChange(): void {
    const call = this.#call;
    if (call === null || this.#phase !== "reading") return;
    this.#setReading(call.takesBytes);
    if (call.waitsForBytes) this.owner.deadlines.set(this, call.limits.idleMsMax);
    else this.deadlineMs = Number.POSITIVE_INFINITY;
  }

  #setReading(reading: boolean): void {
    if (this.#socketPaused !== reading) return;
    this.#socketPaused = !reading;
    if (reading) this.#socket?.resume();
    else this.#socket?.pause();
  }

  /** The other side closed in good order, which may be the end of the body. */
  onPeerEnd(): void {
    const call = this.#call;
    if (call !== null && this.#phase === "reading" && this.#parser.finish()) {
      this.#call = null;
      this.destroy();
      call.onEnd();
    } else {
      this.onLost("the upstream closed the connection");
    }
  }

  onLost(detail: string): void {
    if (this.#phase === "closed") return;
    const call = this.#call;
    if (this.#phase === "connecting") {
      this.#fail(new UpstreamFailure("connect", `closed during the handshake: ${detail}`));
    } else if (call !== null && this.#phase === "waiting" && this.#used && !call.repeated) {
      this.#call = null;
      this.destroy();
      call.repeated = true;
      this.owner.onStale(call);
    } else {
      this.#fail(new UpstreamFailure("cut", detail));
    }
  }

  onDeadline(): void {
    const limits = this.#call?.limits;
    if (limits === undefined) this.destroy();
    else if (this.#phase === "connecting") {
      this.#fail(new UpstreamFailure("connect-timeout", `no connection in ${limits.connectMsMax} ms`));
    } else if (this.#phase === "waiting") {
      this.#fail(new UpstreamFailure("first-byte-timeout", `no answer in ${limits.firstByteMsMax} ms`));
    } else {
      this.#fail(new UpstreamFailure("idle-timeout", `nothing for ${limits.idleMsMax} ms`));
    }
  }

  #fail(failure: UpstreamFailure): void {
    const call = this.#call;
    this.#call = null;
    this.destroy();
    call?.onFailure(failure);
  }

  /** The owner's shutdown: unlike `destroy`, the call is told. */
  shutDown(): void {
    this.#fail(new UpstreamFailure("cut", "the gateway is closing its connections"));
  }

  destroy(): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#call = null;
    this.owner.deadlines.remove(this);
    this.#writer.stop();
    this.#socket?.terminate();
    this.owner.onClosed(this);
  }
}

/** Shared by all sockets: one that is not secure has no handshake. */
export const socketHandler: SocketHandler<Connection> = {
  binaryType: "buffer",
  open: socket => socket.data.onOpen(socket),
  handshake: (socket, success, error) => {
    if (socket.data.isOn(socket)) socket.data.onHandshake(success, error);
  },
  data: (socket, bytes) => socket.data.onData(bytes),
  drain: socket => socket.data.onDrain(),
  end: socket => {
    if (socket.data.isOn(socket)) socket.data.onPeerEnd();
  },
  close: lost,
  error: lost,
};

function lost(socket: Socket<Connection>, error?: Error): void {
  if (socket.data.isOn(socket)) socket.data.onLost(describe(error));
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return "the connection was closed";
  return "code" in error && typeof error.code === "string" ? `${error.code} ${error.message}` : error.message;
}
