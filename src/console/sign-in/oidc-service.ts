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
