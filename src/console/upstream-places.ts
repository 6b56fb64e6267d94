import { isIP } from "node:net";
import type { Upstream } from "../domain/catalogue.ts";
import { addressRules } from "../upstream/address-rules.ts";
import { type LookUp, systemLookUp } from "../upstream/http1-addresses.ts";

export type Placing = {
  upstreams: readonly Upstream[];
  /** As in the settings. */
  privateUpstreams: readonly string[];
  httpsProxy: string | null;
  lookUp?: LookUp;
};

const LOOK_UP_MS_MAX = 3_000;

/** Upstreams whose name leads where the gateway does not go, each with the reason. */
export async function misplacedUpstreams(placing: Placing): Promise<{ name: string; problem: string }[]> {
  const rules = addressRules(placing.privateUpstreams);
  const lookUp = placing.lookUp ?? systemLookUp;
  const judged = placing.upstreams.map(async ({ name, baseUrl }) => {
    const host = hostToResolve(baseUrl, placing.httpsProxy);
    if (host === null) return [];
    const addresses = await within(lookUp(host));
    if (addresses === null) return [{ name, problem: `the name ${host} cannot be resolved here` }];
    const problems = [
      rules.nameProblem(host),
      ...addresses.map(address => rules.addressProblem({ host, address, isMeant: false })),
    ];
    const problem = problems.find(found => found !== null);
    return problem === undefined || problem === null ? [] : [{ name, problem }];
  });
  return (await Promise.all(judged)).flat();
}

/** An address is meant as it is written, and what goes through a proxy is resolved there. */
function hostToResolve(baseUrl: string | null, proxy: string | null): string | null {
  if (baseUrl === null || !URL.canParse(baseUrl)) return null;
  const { hostname, protocol } = new URL(baseUrl);
  const isWritten = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0 || hostname === "localhost";
  return isWritten || (proxy !== null && protocol === "https:") ? null : hostname;
}

async function within(found: Promise<readonly string[]>): Promise<readonly string[] | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), LOOK_UP_MS_MAX);
  try {
    return await Promise.race([found.catch(() => null), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
