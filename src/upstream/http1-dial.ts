import type { Socket, TLSOptions } from "bun";
import type { HostAddresses } from "./http1-addresses.ts";
import { type Connection, socketHandler } from "./http1-connection.ts";
import { connectRequest, Tunnel, tunnelHandler } from "./http1-tunnel.ts";

/** How an origin is reached: by whose addresses, and through a proxy or not. */
export type Way = {
  addresses: HostAddresses;
  port: number;
  tls: TLSOptions | null;
  /** What a proxy at these addresses is asked to lead to; null without one. */
  through: { target: string; authorization: string | null } | null;
};

/** Attempts that nobody waits for any more but that the system has not given up. */
export type Hanging = { count: number };

/** An address that does not answer gets company after this long: the first that opens is taken. */
const HEAD_START_MS = 500;

/** Finds one connection its socket. */
export class Dial {
  readonly #connection: Connection;
  readonly #way: Way;
  readonly #hanging: Hanging;
  #left: string[] = [];
  #pending = 0;
  #isOver = false;
  #headStart: ReturnType<typeof setTimeout> | null = null;
  #tunnel: Tunnel | null = null;

  constructor(connection: Connection, { way, hanging }: { way: Way; hanging: Hanging }) {
    this.#connection = connection;
    this.#way = way;
    this.#hanging = hanging;
  }

  start(): void {
    try {
      const addresses = this.#way.addresses.get();
      if (addresses instanceof Promise) addresses.then(this.#tryAll, this.#onRefused);
      else this.#tryAll(addresses);
    } catch (error) {
      this.#onRefused(error);
    }
  }

  /** Nobody waits for it any more, or the connection has its socket. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#headStart !== null) clearTimeout(this.#headStart);
    this.#hanging.count += this.#pending;
    this.#tunnel?.close();
  }

  readonly #tryAll = (addresses: readonly string[]): void => {
    this.#left = [...addresses];
    this.#next();
  };

  readonly #onRefused = (error: unknown): void => this.#connection.onConnectError(error);

  #next(): void {
    const address = this.#left.shift();
    if (address === undefined || this.#isOver) return;
    this.#pending += 1;
    this.#scheduleNext();
    this.#attempt(address).then(
      () => {
        this.#onSettled();
        // Behind a proxy the way is still to be asked for.
        if (this.#way.through === null) this.stop();
      },
      error => {
        this.#onSettled();
        if (this.#left.length > 0) this.#next();
        else if (this.#pending === 0) this.#connection.onConnectError(error);
      },
    );
  }

  #scheduleNext(): void {
    if (this.#headStart !== null) clearTimeout(this.#headStart);
    this.#headStart = this.#left.length === 0 ? null : setTimeout(() => this.#next(), HEAD_START_MS);
  }

  #onSettled(): void {
    this.#pending -= 1;
    if (this.#isOver) this.#hanging.count -= 1;
  }

  async #attempt(hostname: string): Promise<void> {
    const { port, tls, through } = this.#way;
    if (through === null) {
      const secure = tls === null ? {} : { tls };
      await Bun.connect({ hostname, port, ...secure, data: this.#connection, socket: socketHandler });
      return;
    }
    const tunnel = new Tunnel(connectRequest(through.target, through.authorization), {
      onOpen: opened => this.#onTunnelOpen(opened),
      onReady: socket => this.#onTunnelReady(socket),
      onFailure: failure => this.#connection.onConnectError(failure),
    });
    await Bun.connect({ hostname, port, data: tunnel, socket: tunnelHandler });
  }

  #onTunnelOpen(tunnel: Tunnel): boolean {
    if (this.#isOver || this.#tunnel !== null) return false;
    this.#tunnel = tunnel;
    this.#left = [];
    return true;
  }

  #onTunnelReady(socket: Socket<Tunnel>): void {
    this.#tunnel = null;
    try {
      const tls = this.#way.tls ?? {};
      socket.upgradeTLS({ data: this.#connection, tls, socket: socketHandler });
    } catch (error) {
      socket.terminate();
      this.#connection.onConnectError(error);
    }
  }
}
