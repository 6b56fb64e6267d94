import type { Clock } from "../domain/clock.ts";
import { type Outbound, type OutboundOptions, outbound } from "../upstream/http1.ts";
import type { SenderLimits } from "../upstream/send.ts";

/** The settings that a call to an upstream is made under, whoever makes it. */
export type NetworkSettings = Pick<OutboundOptions, "privateUpstreams" | "httpsProxy" | "noProxy"> &
  SenderLimits;

/** The way out for an operator's questions: the same module and the same rules as for a client's request. */
export type Network = { outbound: Outbound; limits: SenderLimits; clock: Clock };

const CONNECTIONS_MAX = 4;
const CONNECTION_MS_MAX = 10_000;
const RECEIVE_WINDOW_BYTES = 262_144;

export async function withNetwork<T>(
  { settings, clock }: { settings: NetworkSettings; clock: Clock },
  work: (network: Network) => Promise<T>,
): Promise<T> {
  const { privateUpstreams, httpsProxy, noProxy } = settings;
  const pool = outbound({
    idleConnectionsMax: CONNECTIONS_MAX,
    idleConnectionMsMax: CONNECTION_MS_MAX,
    receiveWindowBytes: RECEIVE_WINDOW_BYTES,
    privateUpstreams,
    httpsProxy,
    noProxy,
  });
  try {
    return await work({ outbound: pool, limits: settings, clock });
  } finally {
    pool.close();
  }
}
