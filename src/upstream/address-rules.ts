import { isIP } from "node:net";

/**
 * Which addresses may be connected to. A name proves nothing about where it leads, so it is judged by what it was
 * resolved to. An address that the operator wrote is meant, unless nobody can mean it.
 */

/** `never`: link-local, metadata, not one machine's address, or an IPv4 address hidden in another form. */
export type Reach = "public" | "private" | "never";

type Place = { version: 4 | 6; number: bigint };
type Range = Place & { bits: number };

const WIDTH = { 4: 32, 6: 128 } as const;

const ranges = (...texts: string[]): Range[] => texts.flatMap(text => rangeOf(text) ?? []);

/** Link-local addresses hold the metadata of most clouds; the single ones are those of Azure, Oracle and Alibaba. */
const NEVER_4 = ranges(
  "0.0.0.0/8",
  "169.254.0.0/16",
  "168.63.129.16",
  "192.0.0.192",
  "100.100.100.200",
  "192.88.99.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
);
const PRIVATE_4 = ranges(
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
);
/** The metadata of AWS and Google over IPv6 stand among the private addresses. */
const NEVER_6 = ranges(
  "fd00:ec2::/32",
  "fd20:ce::254",
  "2001::/32",
  "2001:10::/28",
  "2001:20::/28",
  "2002::/16",
);
const PRIVATE_6 = ranges("::1", "fc00::/7", "2001:2::/48", "2001:db8::/32", "3fff::/20");
const PUBLIC_6 = ranges("2000::/3");
/** Their last 32 bits are an IPv4 address: as IPv4 writes it in IPv6, and as a translator to IPv4 takes it. */
const EMBEDDING_6 = ranges("::ffff:0:0/96", "64:ff9b::/96");

export function reachOf(address: string): Reach {
  const place = placeOf(address);
  if (place === null) return "never";
  if (place.version === 4) return reachOf4(place);
  if (isIn(EMBEDDING_6, place)) {
    const inside: Place = { version: 4, number: place.number & 0xffff_ffffn };
    return reachOf4(inside) === "public" ? "public" : "never";
  }
  if (isIn(NEVER_6, place)) return "never";
  if (isIn(PRIVATE_6, place)) return "private";
  return isIn(PUBLIC_6, place) ? "public" : "never";
}

function reachOf4(place: Place): Reach {
  if (isIn(NEVER_4, place)) return "never";
  return isIn(PRIVATE_4, place) ? "private" : "public";
}

function isIn(list: readonly Range[], place: Place): boolean {
  return list.some(range => holds(range, place));
}

/** They answer with credentials of the machine; behind a proxy nobody would see what they resolve to. */
const METADATA_NAMES = new Set([
  "metadata",
  "metadata.goog",
  "metadata.google.internal",
  "instance-data",
  "instance-data.ec2.internal",
]);

export type AddressRules = {
  /** Why nothing of this name is ever connected to; null where its addresses decide. */
  nameProblem: (host: string) => string | null;
  /** Why this address is not connected to; `isMeant` if the operator named the address itself. */
  addressProblem: (what: { host: string; address: string; isMeant: boolean }) => string | null;
};

const SETTING = "WICKETGATE_PRIVATE_UPSTREAMS";
const NEVER = "it is link-local, a cloud's metadata, not of one machine, or another address in disguise";

/** `allowed` has host names, domains with a dot before them, addresses and CIDRs. */
export function addressRules(allowed: readonly string[]): AddressRules {
  const allowedRanges = ranges(...allowed);
  const names = allowed.filter(entry => rangeOf(entry) === null).map(bareName);

  const isListedName = (host: string): boolean =>
    names.some(name => (name.startsWith(".") ? `.${host}`.endsWith(name) : host === name));

  /** What nobody means by the way is opened by its very address alone, never by a range around it. */
  const isListedAddress = (address: string, reach: Reach): boolean => {
    const place = placeOf(address);
    const open = reach === "never" ? allowedRanges.filter(isSingle) : allowedRanges;
    return place !== null && isIn(open, place);
  };

  return {
    nameProblem: host =>
      METADATA_NAMES.has(bareName(host))
        ? `${host} is a name of a cloud's metadata, which is no upstream`
        : null,
    addressProblem: ({ host, address, isMeant }) => {
      const reach = reachOf(address);
      if (reach === "public" || isListedAddress(address, reach)) return null;
      const where = host === address ? `the address ${address}` : `${host} at ${address}`;
      if (reach === "never") return `${where} is refused: ${NEVER}`;
      if (isMeant || isListedName(bareName(host))) return null;
      return `${where} is refused, because that is a private address: if it is meant, put ${host} into ${SETTING}`;
    },
  };
}

function isSingle({ version, bits }: Range): boolean {
  return bits === WIDTH[version];
}

export function bareName(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

/** An address or a CIDR; null where it is neither. */
export function rangeOf(text: string): Range | null {
  const [address = "", prefix] = text.split("/");
  const place = placeOf(address);
  if (place === null) return null;
  const width = WIDTH[place.version];
  const bits = prefix === undefined ? width : Number(prefix);
  return Number.isInteger(bits) && bits >= 0 && bits <= width ? { ...place, bits } : null;
}

export function holds(range: Range, place: Place): boolean {
  const rest = BigInt(WIDTH[range.version] - range.bits);
  return range.version === place.version && place.number >> rest === range.number >> rest;
}

/** Null where it is no address. */
export function placeOf(address: string): Place | null {
  const version = isIP(address);
  if (version === 4) return { version, number: joined(address.split(".").map(Number), 8n) };
  if (version !== 6) return null;
  // A URL writes every IPv6 address in the same way, without a dotted part. A zone is none of ours.
  const plain = new URL(`http://[${address.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const [before = "", after] = plain.split("::");
  const words = (part: string) => (part === "" ? [] : part.split(":").map(word => Number.parseInt(word, 16)));
  const left = words(before);
  const right = words(after ?? "");
  const gap = after === undefined ? 0 : 8 - left.length - right.length;
  return { version, number: joined([...left, ...Array<number>(gap).fill(0), ...right], 16n) };
}

function joined(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((number, part) => (number << bits) | BigInt(part), 0n);
}
