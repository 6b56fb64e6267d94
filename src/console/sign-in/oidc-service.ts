import type { HouseSettings } from "../../domain/settings.ts";
import type { Outbound } from "../../upstream/http1.ts";

/** An OpenID Connect issuer that the operator trusts to say who somebody is. */
export type OidcService = {
  /** What the button calls it. */
  name: string;
  issuer: string;
  clientId: string;
  /** Null: a public client. */
  clientSecret: string | null;
  outbound: Outbound;
};

/** The last one of each house: what is known of the issuer is kept by the object, so it stays the same while it holds. */
const kept = new WeakMap<Outbound, OidcService>();

type Asked = { settings: () => HouseSettings; network: { outbound: Outbound } };

/** Null where the house has none. */
export function oidcService({ settings, network }: Asked): OidcService | null {
  const {
    oidcIssuer: issuer,
    oidcClientId: clientId,
    oidcClientSecret: clientSecret,
    oidcName: name,
  } = settings();
  if (issuer === null || clientId === null) return null;
  const { outbound } = network;
  const service = { name, issuer, clientId, clientSecret, outbound };
  const last = kept.get(outbound);
  if (last !== undefined && isSame(last, service)) return last;
  kept.set(outbound, service);
  return service;
}

function isSame(one: OidcService, other: OidcService): boolean {
  return (
    one.issuer === other.issuer &&
    one.clientId === other.clientId &&
    one.clientSecret === other.clientSecret &&
    one.name === other.name
  );
}
