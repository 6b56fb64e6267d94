import { isIPv6 } from "node:net";
import type { Throttle } from "../../store/throttles.ts";
import { ConsoleProblem } from "../api/problem.ts";
import type { Visit } from "../api/visit.ts";

/** So many tries at once, then one for each interval. */
const RULES = {
  /** Of one address with one e-mail: what a person who has forgotten a password needs. */
  "sign-in pair": { burst: 10, everyMs: 60_000 },
  "sign-in address": { burst: 30, everyMs: 10_000 },
  /** From everywhere together; an address that has been signed in before does not count, nor wait. */
  "sign-in e-mail": { burst: 100, everyMs: 30_000 },
  "second factor": { burst: 5, everyMs: 60_000 },
  "second factor address": { burst: 30, everyMs: 10_000 },
  confirm: { burst: 10, everyMs: 60_000 },
  link: { burst: 30, everyMs: 10_000 },
  register: { burst: 5, everyMs: 120_000 },
  /** Each may be a mail to somebody. */
  "forgot address": { burst: 10, everyMs: 60_000 },
  "forgot e-mail": { burst: 3, everyMs: 600_000 },
  check: { burst: 60, everyMs: 2_000 },
  redeem: { burst: 10, everyMs: 60_000 },
  /** Nothing of these can be guessed; many people may come from one address in the morning. */
  passkey: { burst: 120, everyMs: 1_000 },
  oidc: { burst: 120, everyMs: 1_000 },
  "csp report": { burst: 20, everyMs: 10_000 },
} as const;

export type Rule = keyof typeof RULES;

/** `who` is an address, an e-mail, an account's id, or several of these. What was typed is kept as a hash alone. */
export function throttleOf(rule: Rule, ...who: readonly string[]): Throttle {
  const owner = new Bun.CryptoHasher("sha256").update(JSON.stringify([rule, ...who])).digest("base64url");
  return { owner, ...RULES[rule] };
}

/** The part of an address that one customer of a network has: an IPv6 address is theirs by the 64. */
export function addressOwner(address: string): string {
  if (!isIPv6(address) || address.startsWith("::ffff:")) return address.replace(/^::ffff:/, "");
  const [head = "", tail] = address.split("::");
  const given = head.split(":").filter(part => part !== "");
  const rest = (tail ?? "").split(":").filter(part => part !== "");
  const zeros = Array.from({ length: Math.max(0, 8 - given.length - rest.length) }, () => "0");
  return [...given, ...zeros, ...rest].slice(0, 4).join(":");
}

/** Counts a try, or refuses it with the time to wait. */
export async function throttle(visit: Visit, ...throttles: readonly Throttle[]): Promise<void> {
  const { desk, nowMs } = visit;
  // Looked at first: a change waits for the disk, and whoever hammers at the door must not make the gateway wait too.
  const seconds =
    (await desk.store.run("throttle.look", { throttles, nowMs })) ||
    (await desk.store.run("throttle.pass", { throttles, nowMs, sweep: isTimeToSweep(visit) }));
  if (seconds === 0) return;
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  throw new ConsoleProblem("throttled", `There were too many tries; try again in ${wait}.`, {
    retryAfterSeconds: seconds,
  });
}

/** A try that was right does not count. */
export async function forgive({ desk }: Visit, ...throttles: readonly Throttle[]): Promise<void> {
  await desk.store.run("throttle.forgive", { throttles });
}

/** About one try in fifty, by chance that nobody outside chooses. */
function isTimeToSweep({ desk }: Visit): boolean {
  return (desk.randomBytes(1)[0] ?? 1) < 5;
}
