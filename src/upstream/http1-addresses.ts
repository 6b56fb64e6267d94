import { isIP } from "node:net";
import type { AddressRules } from "./address-rules.ts";
import { UpstreamFailure } from "./answer.ts";

/** Every address of a name, the one to try first in front. */
export type LookUp = (host: string) => Promise<readonly string[]>;

/** As the rest of the system resolves names: its hosts file and search domains count. */
export const systemLookUp: LookUp = async host => {
  const found = await Bun.dns.lookup(host, { backend: "libc" });
  return found.map(({ address }) => address);
};

/** Connections that are kept need no look-up; new ones need one in this time. */
const KNOWN_MS_MAX = 5_000;
const ADDRESSES_MAX = 6;

export type HostAddressesOptions = {
  host: string;
  rules: AddressRules;
  lookUp: LookUp;
  /** The operator vouches for wherever the name leads, as for the proxy. */
  isVouchedFor: boolean;
};

/**
 * The addresses of one host that may be connected to. What was checked is what is connected to: nobody resolves the
 * name a second time, so it cannot mean something else by then.
 */
export class HostAddresses {
  readonly #options: HostAddressesOptions;
  /** Addresses that stand in the host itself. */
  readonly #written: readonly string[] | null;
  #known: readonly string[] | null = null;
  #knownUntilMs = 0;
  #finding: Promise<readonly string[]> | null = null;

  constructor(options: HostAddressesOptions) {
    this.#options = options;
    this.#written = writtenAddresses(options.host);
  }

  /** At least one; at once where they are known. Throws, or rejects with, an UpstreamFailure. */
  get(): readonly string[] | Promise<readonly string[]> {
    if (this.#known !== null && performance.now() < this.#knownUntilMs) return this.#known;
    if (this.#written !== null) return this.#keep(this.#written, Number.POSITIVE_INFINITY);
    // A burst of new connections shares one look-up.
    this.#finding ??= this.#find().finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  async #find(): Promise<readonly string[]> {
    const { host, rules, lookUp } = this.#options;
    const problem = rules.nameProblem(host);
    if (problem !== null) throw new UpstreamFailure("connect", problem);
    const found = await lookUp(host).catch(() => {
      throw new UpstreamFailure("connect", `the name ${host} cannot be resolved`);
    });
    return this.#keep(found, KNOWN_MS_MAX);
  }

  #keep(addresses: readonly string[], keptMs: number): readonly string[] {
    this.#known = this.#permitted(addresses);
    this.#knownUntilMs = performance.now() + keptMs;
    return this.#known;
  }

  #permitted(addresses: readonly string[]): readonly string[] {
    const { host, rules, isVouchedFor } = this.#options;
    const isMeant = isVouchedFor || this.#written !== null;
    const problems = addresses.map(address => rules.addressProblem({ host, address, isMeant }));
    const permitted = addresses.filter((_, at) => problems[at] === null);
    if (permitted.length > 0) return permitted.slice(0, ADDRESSES_MAX);
    throw new UpstreamFailure("connect", problems[0] ?? `the name ${host} has no address`);
  }
}

function writtenAddresses(host: string): readonly string[] | null {
  if (isIP(host) !== 0) return [host];
  // This name means this machine, whatever a resolver would say.
  return host === "localhost" ? ["127.0.0.1", "::1"] : null;
}
