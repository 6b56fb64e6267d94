import { BlockList, isIP } from "node:net";

const lists = new WeakMap<readonly string[], BlockList>();

/** The address that called: the peer's, or what a trusted proxy says stood before it. */
export function clientAddress(request: Request, peer: string, trusted: readonly string[]): string {
  const forwarded = trusted.length === 0 ? null : request.headers.get("x-forwarded-for");
  if (forwarded === null || !addressIsIn(peer, trusted)) return peer;
  // From the right: the nearest address that is not a trusted proxy itself. What stands left of it can be made up.
  const chain = forwarded.split(",").map(part => part.trim());
  const found = chain.reverse().find(address => isIP(address) === 0 || !addressIsIn(address, trusted));
  return found !== undefined && isIP(found) !== 0 ? found : peer;
}

export function addressIsIn(address: string, cidrs: readonly string[]): boolean {
  const version = isIP(address);
  // An IPv4 address written as IPv6, however it is spelt, is found in the IPv4 ranges too.
  return version !== 0 && listOf(cidrs).check(address, version === 6 ? "ipv6" : "ipv4");
}

function listOf(trusted: readonly string[]): BlockList {
  const known = lists.get(trusted);
  if (known !== undefined) return known;
  const list = new BlockList();
  for (const entry of trusted) {
    const [address = "", prefix] = entry.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    list.addSubnet(address, prefix === undefined ? (family === "ipv6" ? 128 : 32) : Number(prefix), family);
  }
  lists.set(trusted, list);
  return list;
}
