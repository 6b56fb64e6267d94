import type { Id } from "../domain/ids.ts";
import type { Limits } from "../domain/limits.ts";
import { formatUsd, type Nanos } from "../domain/money.ts";
import type { Command } from "./command.ts";
import {
  at,
  type Books,
  countHold,
  limitsOf,
  type Meter,
  openOf,
  openOfKey,
  type Place,
  placesFor,
  type Request,
} from "./history-model.case.ts";
import type { AdmissionRequest, ExtensionRequest, Settlement } from "./store.ts";

/** What should be answered, in the words of `said`, and what should be in the books afterwards. */

const MINUTE_NS = 60_000_000_000n;
const HOUR_NS = 60n * MINUTE_NS;
const OUTPUT_TOKENS_LEAST = 64;

type Batch = { boot: Id<"boot">; commands: readonly Command[] };

export function runBatch(books: Books, { boot, commands }: Batch): string[] {
  const answers: string[] = [];
  for (const command of commands) {
    if (command.do === "admit") answers.push(admit(books, boot, command.request));
    else if (command.do === "extend") answers.push(extend(books, command.extension));
    else if (command.do === "settle") settle(books, command.settlement);
  }
  // Checkpoints are written when the holds of the batch are, and count for what is open then.
  for (const command of commands) {
    if (command.do !== "checkpoint") continue;
    const { id, cost, usage } = command.checkpoint;
    const request = openRequest(books, id);
    if (request === null) continue;
    request.cost = between(0n, cost, request.hold);
    request.tokensDelivered = usage.input + usage.cacheRead + usage.output;
  }
  return answers;
}

/** Ends what a process left open, each at its last checkpoint; gives how many there were. */
export function recoverBoot(books: Books, boot: Id<"boot">): number {
  const orphans = books.requests.filter(one => one.state === "open" && one.boot === boot);
  for (const request of orphans) {
    const { cost, tokensDelivered } = request;
    const source = cost > 0n ? "estimated" : null;
    close(books, request, { state: "interrupted", cost, source, tokens: tokensDelivered });
  }
  return orphans.length;
}

function openRequest(books: Books, id: Id<"req">): Request | null {
  return books.requests.find(one => one.id === id && one.state === "open") ?? null;
}

function admit(books: Books, boot: Id<"boot">, asked: AdmissionRequest): string {
  const keyAt = books.keys.findIndex(({ name }) => asked.keyHash === `hash of ${name}`);
  const { quote, inputTokens } = asked.ask;
  if (quote === null) throw new Error("every request of a history has a quote");
  const request: Request = {
    ...{ id: asked.id, boot, key: keyAt, state: "refused", hold: 0n, pocket: null, counts: [], cost: 0n },
    ...{ multiplier: 0, basePicos: quote.basePicos, outputPicos: quote.outputPicos, source: null },
    ...{ tokensGuessed: inputTokens, tokensDelivered: 0 },
  };
  books.requests.push(request);
  const refused = stateRefusal(books, keyAt) ?? limitRefusal(books, keyAt, inputTokens);
  if (refused !== null) return refused;

  const { multiplier } = at(books.groups, at(books.keys, keyAt).group);
  const { purses, bounds, atMs } = placesFor(books, keyAt);
  const cost = (tokens: number) => costOf({ ...quote, multiplier }, tokens);
  const least = Math.min(quote.outputTokens, Math.max(OUTPUT_TOKENS_LEAST, quote.choices));
  const affords = (tokens: number) =>
    purses.some(purse => left(purse) >= cost(tokens)) && bounds.every(bound => left(bound) >= cost(tokens));
  const named = nameShort(purses, bounds);
  if (!affords(least)) {
    if (named !== null && left(named) >= cost(least)) throw new Error("the model names a place that can pay");
    return named === null ? "subscription_exhausted 0.00" : say(named);
  }
  const granted = most(tokens => affords(tokens), { least, asked: quote.outputTokens });
  const heldTokens = Math.min(granted, Math.max(quote.heldTokens, least));
  const hold = cost(heldTokens);
  const purse = purses.find(one => left(one) >= hold);
  if (purse === undefined) throw new Error("the model grants what nobody pays");
  Object.assign(request, { state: "open", hold, multiplier, pocket: purse.pocket });
  countHold(books, request, { places: [...bounds, purse], atMs });
  for (const { limits, meter } of ownersOf(books, keyAt)) arrive(books, { limits, meter, inputTokens });
  const lowered = granted < quote.outputTokens ? (named?.reason ?? "nobody") : "in full";
  return `admitted ${granted}, held ${heldTokens}, ${lowered}, × ${multiplier}`;
}

/** The poorest bound, where it is poorer than every pocket; otherwise the pocket that is asked last. */
function nameShort(purses: readonly Place[], bounds: readonly Place[]): Place | null {
  if (purses.length === 0) return null;
  const [poorest] = [...bounds].sort((a, b) => Number(left(a) - left(b)));
  if (poorest !== undefined && purses.some(purse => left(purse) > left(poorest))) return poorest;
  return purses.at(-1) ?? null;
}

function stateRefusal(books: Books, keyAt: number): string | null {
  const key = at(books.keys, keyAt);
  if (key.deleted) return "key_deleted";
  if (key.expiresAtMs !== null && books.nowMs >= key.expiresAtMs) return "key_expired";
  if (!key.enabled) return "key_disabled";
  if (!at(books.accounts, key.account).enabled) return "account_disabled";
  return at(books.groups, key.group).enabled ? null : "group_disabled";
}

type Owner = { whose: string; limits: Limits; meter: Meter; open: number };

function ownersOf(books: Books, keyAt: number): Owner[] {
  const key = at(books.keys, keyAt);
  const { limits, meter } = at(books.accounts, key.account);
  const running = { ofKey: openOfKey(books, keyAt).length, ofAccount: openOf(books, key.account).length };
  return [
    { whose: "key", limits: limitsOf(books, key), meter: key.meter, open: running.ofKey },
    { whose: "account", limits, meter, open: running.ofAccount },
  ];
}

function limitRefusal(books: Books, keyAt: number, inputTokens: number): string | null {
  const owners = ownersOf(books, keyAt);
  for (const { whose, limits, open } of owners)
    if (limits.concurrency !== null && open >= limits.concurrency) return `concurrency_limited ${whose}`;
  for (const { whose, limits, meter } of owners) {
    for (const what of ["requests", "tokens"] as const) {
      const seconds = wait(books, { limits, meter, inputTokens }, what);
      if (seconds > 0n) return `rate_limited ${whose} ${what} ${seconds}`;
    }
  }
  return null;
}

type Metered = { limits: Limits; meter: Meter; inputTokens: number };

/** How far a meter would be ahead of the clock with this request, in nanoseconds; null where nothing limits it. */
function ahead(books: Books, { limits, meter, inputTokens }: Metered, what: "requests" | "tokens") {
  const requests = what === "requests";
  const perMinute = requests ? limits.requestsPerMinute : limits.tokensPerMinute;
  if (perMinute === null) return null;
  const before = (requests ? meter.requestDueNs : meter.tokenDueNs) - nowNs(books);
  const count = requests ? 1n : BigInt(inputTokens);
  const after = between(0n, before, requests ? MINUTE_NS : HOUR_NS) + (MINUTE_NS * count) / BigInt(perMinute);
  return { atRest: before <= 0n, after };
}

function wait(books: Books, metered: Metered, what: "requests" | "tokens"): bigint {
  const found = ahead(books, metered, what);
  if (found === null || found.atRest || found.after <= MINUTE_NS) return 0n;
  const second = 1_000_000_000n;
  return (found.after - MINUTE_NS + second - 1n) / second;
}

function arrive(books: Books, metered: Metered): void {
  const [requests, tokens] = [ahead(books, metered, "requests"), ahead(books, metered, "tokens")];
  if (requests !== null) metered.meter.requestDueNs = nowNs(books) + requests.after;
  if (tokens !== null) metered.meter.tokenDueNs = nowNs(books) + tokens.after;
}

function extend(books: Books, { id, quote, outputTokens }: ExtensionRequest): string {
  const request = openRequest(books, id);
  if (request === null) return "0 store_unavailable";
  const cost = (tokens: number) => costOf({ ...quote, multiplier: request.multiplier }, tokens);
  const room = roomFor(books, request, cost(outputTokens));
  const held = most(tokens => cost(tokens) <= room.most, { least: -1, asked: outputTokens });
  if (held >= 0 && cost(held) > request.hold) grow(books, request, { ...room, amount: cost(held) });
  return `${held} ${room.short ?? "held"}`;
}

type Room = { most: Nanos; purse: Place | null; bounds: readonly Place[]; atMs: number };

/** As large as a hold could be, if it were made now in its own place: with what the others leave free. */
function roomFor(books: Books, request: Request, wanted: Nanos): Room & { short: string | null } {
  const { purses, bounds: all, atMs } = placesFor(books, request.key);
  const bounds = all.filter(
    ({ window }) => window === null || request.counts.some(count => count.window === window),
  );
  const free = (place: Place) => place.limit - place.used(request);
  const tightest = bounds.reduce<Place | null>(
    (found, bound) => (free(bound) < (found === null ? wanted : free(found)) ? bound : found),
    null,
  );
  const reach = tightest === null ? wanted : free(tightest);
  const own = purses.filter(({ pocket }) => pocket === request.pocket);
  const others = purses.filter(({ pocket }) => pocket !== request.pocket);
  let best: Room = { most: request.hold, purse: null, bounds, atMs };
  for (const purse of [...own, ...others]) {
    const amount = free(purse) < reach ? free(purse) : reach;
    if (amount > best.most) best = { ...best, most: amount, purse };
  }
  if (best.most >= wanted) return { ...best, short: null };
  const named = tightest !== null && best.most >= reach ? tightest : (purses.at(-1) ?? null);
  return { ...best, short: named === null ? "subscription_exhausted 0.00" : say(named) };
}

function grow(books: Books, request: Request, room: Room & { amount: Nanos }): void {
  const { purse, bounds, atMs, amount } = room;
  if (purse === null) throw new Error("the model lets a hold grow that nobody pays");
  const places = [...bounds, purse];
  request.pocket = purse.pocket;
  countHold(books, request, { places, atMs });
  request.hold = amount;
}

function settle(books: Books, { id, state, cost, bound, source, usage }: Settlement): void {
  const request = openRequest(books, id);
  if (request === null) return;
  const tokens = usage.input + usage.cacheRead + usage.output;
  if (state === "voided") {
    close(books, request, { state, cost: 0n, source, tokens });
    return;
  }
  const due = between(0n, cost, bound > request.hold ? bound : request.hold);
  if (due > request.hold) {
    const room = roomFor(books, request, due);
    if (room.most > request.hold) grow(books, request, { ...room, amount: room.most });
  }
  const paid = due > request.hold ? request.hold : due;
  close(books, request, { state, cost: paid, source: paid === cost ? source : "clamped", tokens });
}

type End = {
  state: "settled" | "voided" | "interrupted";
  cost: Nanos;
  source: string | null;
  tokens: number;
};

function close(books: Books, request: Request, { tokens, ...end }: End): void {
  const key = at(books.keys, request.key);
  const pocket = end.cost > 0n ? request.pocket : null;
  const { id, tokensGuessed } = request;
  if (pocket !== null) {
    const line = { account: key.account, kind: "charge", amount: -end.cost };
    books.lines.push({ ...line, pocket, requestId: id, once: null });
  }
  Object.assign(request, { ...end, pocket, tokensDelivered: tokens });
  for (const { limits, meter } of ownersOf(books, request.key)) {
    if (limits.tokensPerMinute === null) continue;
    const more = (MINUTE_NS * BigInt(tokens - tokensGuessed)) / BigInt(limits.tokensPerMinute);
    const most = nowNs(books) + HOUR_NS;
    meter.tokenDueNs = meter.tokenDueNs + more > most ? most : meter.tokenDueNs + more;
  }
}

type Priced = { basePicos: bigint; outputPicos: bigint; multiplier: number };

/** Rounded up to the next nano-dollar, once. */
function costOf({ basePicos, outputPicos, multiplier }: Priced, tokens: number): Nanos {
  const exact = (basePicos + outputPicos * BigInt(tokens)) * BigInt(multiplier);
  const whole = exact / 10_000_000n;
  return whole * 10_000_000n === exact ? whole : whole + 1n;
}

/** The largest count that passes: `least` is known to, and what passes a larger one passes every smaller one. */
function most(passes: (tokens: number) => boolean, { least, asked }: { least: number; asked: number }) {
  let [low, high] = [least, asked];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (passes(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function left(place: Place): Nanos {
  return place.limit - place.used(null);
}

export function say(place: Place): string {
  const period = place.period === null ? "" : ` ${place.period}`;
  const free = left(place);
  return `${place.reason}${period} ${formatUsd(free > 0n ? free : 0n)}`;
}

function nowNs(books: Books): bigint {
  return BigInt(books.nowMs) * 1_000_000n;
}

function between(low: bigint, value: bigint, high: bigint): bigint {
  return value < low ? low : value > high ? high : value;
}
