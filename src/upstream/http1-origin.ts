import { isIP } from "node:net";
import type { TLSOptions } from "bun";
import type { AddressRules } from "./address-rules.ts";
import { isStreamed, UpstreamFailure } from "./answer.ts";
import { HostAddresses, type LookUp, systemLookUp } from "./http1-addresses.ts";
import type { Call } from "./http1-call.ts";
import { Connection, type ConnectionOwner } from "./http1-connection.ts";
import type { Deadlines } from "./http1-deadlines.ts";
import { Dial, type Hanging, type Way } from "./http1-dial.ts";
import { Pool } from "./pool.ts";
import { bareHost, proxyFor } from "./proxy.ts";

/**
 * An attempt to connect cannot be called back: one that was given up holds its descriptor until the
 * system itself gives up, which takes minutes. An origin that swallows them all is refused at this many.
 */
const hangingConnectsMax = 512;

export type OriginOptions = {
  idleConnectionsMax: number;
  idleConnectionMsMax: number;
  receiveWindowBytes: number;
  rules: AddressRules;
  httpsProxy: string | null;
  noProxy: readonly string[];
  lookUp?: LookUp;
  tls?: { ca: string };
};

/** One scheme, host and port, and the connections to it. */
export class Origin implements ConnectionOwner {
  readonly receiveWindowBytes: number;
  readonly idleMsMax: number;
  readonly #way: Way;
  readonly #free: Pool<Connection>;
  readonly #dials = new Map<Connection, Dial>();
  readonly #hanging: Hanging = { count: 0 };

  constructor(
    url: URL,
    options: OriginOptions,
    readonly deadlines: Deadlines,
  ) {
    this.#way = wayTo(url, options);
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
    this.#dials.get(connection)?.stop();
    this.#dials.delete(connection);
    this.#free.remove(connection);
  }

  onStale(call: Call): void {
    this.#connect(call);
  }

  close(): void {
    for (const connection of this.#dials.keys()) connection.shutDown();
  }

  #connect(call: Call): void {
    if (this.#hanging.count >= hangingConnectsMax) {
      call.onFailure(new UpstreamFailure("connect", `${hangingConnectsMax} attempts to connect hang`));
      return;
    }
    const connection = new Connection(this, this.#way.tls !== null, call);
    const dial = new Dial(connection, { way: this.#way, hanging: this.#hanging });
    this.#dials.set(connection, dial);
    dial.start();
  }
}

/** Throws an UpstreamFailure where no way may be taken. */
function wayTo(url: URL, options: OriginOptions): Way {
  const { rules, lookUp = systemLookUp } = options;
  const host = bareHost(url);
  const isSecure = url.protocol === "https:";
  const port = Number(url.port || (isSecure ? 443 : 80));
  const tls = isSecure ? tlsOptions(host, options) : null;
  const proxy = proxyFor(url, options);
  if (proxy === null) {
    const addresses = new HostAddresses({ host, rules, lookUp, isVouchedFor: false });
    return { addresses, port, tls, through: null };
  }
  // The proxy resolves the name, so all that can be judged here is what stands in the address itself.
  const problem =
    isIP(host) === 0 ? rules.nameProblem(host) : rules.addressProblem({ host, address: host, isMeant: true });
  if (problem !== null) throw new UpstreamFailure("connect", problem);
  const addresses = new HostAddresses({ host: proxy.host, rules, lookUp, isVouchedFor: true });
  const target = `${url.hostname}:${port}`;
  return { addresses, port: proxy.port, tls, through: { target, authorization: proxy.authorization } };
}

function tlsOptions(serverName: string, { tls }: OriginOptions): TLSOptions {
  // ALPN as it goes over the wire: each name is preceded by its length.
  return { ...tls, serverName, rejectUnauthorized: true, ALPNProtocols: "\x08http/1.1" };
}
