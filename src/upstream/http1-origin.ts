import type { TLSOptions } from "bun";
import { isStreamed, UpstreamFailure } from "./answer.ts";
import type { Call } from "./http1-call.ts";
import { Connection, type ConnectionOwner, socketHandler } from "./http1-connection.ts";
import type { Deadlines } from "./http1-deadlines.ts";
import { Pool } from "./pool.ts";

/**
 * An attempt to connect cannot be called back: one that was given up holds its descriptor until the
 * system itself gives up, which takes minutes. An origin that swallows them all is refused at this many.
 */
const hangingConnectsMax = 512;

/** One scheme, host and port, and the connections to it. */
export class Origin implements ConnectionOwner {
  readonly receiveWindowBytes: number;
  readonly idleMsMax: number;
  readonly #address: { hostname: string; port: number };
  readonly #tls: TLSOptions | null;
  readonly #free: Pool<Connection>;
  readonly #all = new Set<Connection>();
  readonly #connecting = new Set<Connection>();
  readonly #hanging = new Set<Connection>();

  constructor(
    url: URL,
    options: {
      idleConnectionsMax: number;
      idleConnectionMsMax: number;
      receiveWindowBytes: number;
      tls?: { ca: string };
    },
    readonly deadlines: Deadlines,
  ) {
    const secure = url.protocol === "https:";
    const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
    this.#address = { hostname, port: Number(url.port || (secure ? 443 : 80)) };
    this.#tls = secure
      ? {
          ...options.tls,
          serverName: hostname,
          rejectUnauthorized: true,
          // As it goes over the wire: each name is preceded by its length.
          ALPNProtocols: "\x08http/1.1",
        }
      : null;
    this.#free = new Pool(options.idleConnectionsMax);
    this.receiveWindowBytes = options.receiveWindowBytes;
    this.idleMsMax = options.idleConnectionMsMax;
  }

  get idle(): number {
    return this.#free.size;
  }

  send(call: Call): void {
    // A kept connection may prove dead, and a body that streams could not be sent again.
    const free = isStreamed(call.request.body) ? undefined : this.#free.take();
    if (free === undefined) this.#connect(call);
    else free.carry(call);
  }

  onFree(connection: Connection): void {
    if (!this.#free.put(connection)) connection.destroy();
  }

  onClosed(connection: Connection): void {
    this.#all.delete(connection);
    this.#free.remove(connection);
    if (this.#connecting.has(connection)) this.#hanging.add(connection);
  }

  onStale(call: Call): void {
    this.#connect(call);
  }

  close(): void {
    for (const connection of this.#all) connection.shutDown();
  }

  #connect(call: Call): void {
    if (this.#hanging.size >= hangingConnectsMax) {
      call.onFailure(new UpstreamFailure("connect", `${hangingConnectsMax} attempts to connect hang`));
      return;
    }
    const connection = new Connection(this, this.#tls !== null, call);
    this.#all.add(connection);
    this.#connecting.add(connection);
    Bun.connect<Connection>({
      ...this.#address,
      ...(this.#tls === null ? {} : { tls: this.#tls }),
      data: connection,
      socket: socketHandler,
    }).then(
      () => this.#onSettled(connection),
      error => {
        this.#onSettled(connection);
        connection.onConnectError(error);
      },
    );
  }

  #onSettled(connection: Connection): void {
    this.#connecting.delete(connection);
    this.#hanging.delete(connection);
  }
}
