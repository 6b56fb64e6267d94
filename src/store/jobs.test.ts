import { expect, test } from "bun:test";
import type { By } from "./audit.ts";
import { type Jobs, jobs, readingJobs } from "./jobs.ts";
import type { JobArgs } from "./store.ts";

/** Jobs that change rows, and nothing that anybody decided: signs of life, proofs, sums, what a restart needs. */
const NO_CHANGE_OF_THE_HOUSE = [
  "alerts.claim_sweep",
  "alerts.tell",
  "code.spend",
  "deliveries.claim",
  "deliveries.release",
  "deliveries.tidy",
  "delivery.again",
  "delivery.test",
  "house.announce",
  "house.secret",
  "house.verified",
  "instance.forget",
  "instance.heartbeat",
  "passkey.prove",
  "profile.recovery_code",
  "profile.totp_step",
  "sealed.replace",
  "session.end",
  "session.open",
  "session.prove",
  "session.see",
  "sessions.end",
  "setup.renew",
  "throttle.forgive",
  "throttle.pass",
  "ticket.make",
  "ticket.use",
  "token.see",
  "upstream.record",
  "usage.remove_old",
  "usage.roll_day",
  "usage.sum_up",
] as const satisfies readonly (keyof Jobs)[];

type TakesBy = { [N in keyof Jobs]: JobArgs<N> extends { by: By } ? N : never }[keyof Jobs];
type ReadingOrNot = Exclude<keyof Jobs, TakesBy | (typeof NO_CHANGE_OF_THE_HOUSE)[number]>;

/** A job that takes nobody's name has to be among those that read, which the test looks at. */
const NAMELESS: Record<ReadingOrNot, true> = {
  "catalogue.read": true,
  "catalogue.revision": true,
  "delivery.read": true,
  "house.keys": true,
  "instance.holders": true,
  "instance.list": true,
  "key.holder": true,
  "keys.stopped": true,
  "outbox.look": true,
  "prices.next_planned": true,
  "passkey.find": true,
  "passkey.list": true,
  "person.at_the_door": true,
  "person.read": true,
  "sealed.page": true,
  "session.list": true,
  "session.read": true,
  "settings.read": true,
  "setup.needed": true,
  "throttle.look": true,
  "ticket.list": true,
  "ticket.look": true,
  "token.read": true,
  "upstream.list": true,
};

test("whatever changes the house is told who does it", () => {
  const nameless = Object.keys(NAMELESS);
  expect(nameless.filter(name => !readingJobs.has(name))).toEqual([]);
  expect(NO_CHANGE_OF_THE_HOUSE.filter(name => readingJobs.has(name) || !(name in jobs))).toEqual([]);
});
