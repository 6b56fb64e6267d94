import { isIP } from "node:net";

/** Whether somebody else's server could call it: https, and no address or name that only this network knows. */
export function isPublicAddress(root: string): boolean {
  if (!URL.canParse(root)) return false;
  const { protocol, hostname } = new URL(root);
  if (protocol !== "https:") return false;
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) === 4)
    return !/^(?:0|10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./.test(
      host,
    );
  if (isIP(host) === 6) return !/^(?:::1?$|f[cd]|fe[89ab])/i.test(host);
  return host.includes(".") && !/\.(?:local|localhost|internal|lan|home|test|home\.arpa)$/.test(host);
}
