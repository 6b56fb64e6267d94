import { accountEndpoints } from "./account.ts";
import type { EndpointName, Exchange, Received } from "./endpoint.ts";
import { groupEndpoints } from "./groups.ts";
import { houseEndpoints } from "./house.ts";
import { keyEndpoints } from "./keys.ts";
import { operatorAccountEndpoints } from "./operator/accounts.ts";
import { catalogueEndpoints } from "./operator/catalogue.ts";
import { overviewEndpoints } from "./operator/overview.ts";
import { auditEndpoints, tokenEndpoints, tryEndpoints } from "./operator/records.ts";
import { mailTestEndpoints, settingEndpoints } from "./operator/settings.ts";
import { upstreamEndpoints } from "./operator/upstreams.ts";
import { operatorUsageEndpoints } from "./operator/usage.ts";
import { webhookEndpoints } from "./operator/webhooks.ts";
import { peopleEndpoints } from "./people.ts";
import { signInEndpoints } from "./sign-in.ts";
import { usageEndpoints } from "./usage.ts";

/**
 * The console's API, whole: every endpoint by its method and path under /console/api, with who may call it and the
 * forms of what goes in and out. The browser takes its types from here, the server its checks, the document its text.
 */
export const endpoints = {
  ...houseEndpoints,
  ...signInEndpoints,
  ...accountEndpoints,
  ...groupEndpoints,
  ...keyEndpoints,
  ...usageEndpoints,
  ...peopleEndpoints,
  ...catalogueEndpoints,
  ...operatorAccountEndpoints,
  ...auditEndpoints,
  ...tokenEndpoints,
  ...tryEndpoints,
  ...upstreamEndpoints,
  ...operatorUsageEndpoints,
  ...overviewEndpoints,
  ...webhookEndpoints,
  ...settingEndpoints,
  ...mailTestEndpoints,
} as const;

type All = typeof endpoints;
export type Name = keyof All & EndpointName;

/** For whoever calls. */
export type Api = { [N in Name]: Exchange<N, All[N]> };

/** For whoever answers. */
export type Calls = { [N in Name]: Received<N, All[N]> };
