import type { Postgres } from "../src/store/postgres/server-test-rig.ts";

/** What a part of the proof is given. */
export type Proving = {
  /** A PostgreSQL for this proof alone. */
  postgres: Postgres;
  /** Another one each time; a part that draws by chance draws from it, so that it can be seen again. */
  seed: number;
  /** Runs tests at full size, those whose name has `named` in it; true where all of them pass. */
  tests: (file: string, named?: string) => Promise<boolean>;
};

/** One thing that is proved, and whether it holds. */
export type Part = { name: string; run: (proving: Proving) => Promise<boolean> };

export const parts: readonly Part[] = [
  {
    name: "10,000 random histories on SQLite",
    run: ({ tests }) => tests("./src/store/history.test.ts", "on SQLite"),
  },
  {
    name: "10,000 random histories on PostgreSQL",
    run: ({ tests }) => tests("./src/store/history.test.ts", "on PostgreSQL"),
  },
  {
    name: "20,000 racers for 1,000 requests, and 500 racing schedules",
    run: ({ tests }) => tests("./src/store/race.test.ts"),
  },
  {
    name: "100 kills of the gateway under 50 streams on SQLite, 20 on PostgreSQL",
    run: ({ tests }) => tests("./test/gateway-crash.test.ts"),
  },
  {
    name: "over HTTP: 20,000 racers for 1,000 requests on two instances, limits and killed instances on three",
    run: ({ tests }) => tests("./test/cluster-limits.test.ts"),
  },
  {
    name: "over HTTP: PostgreSQL killed 10 times and paused under load, and instances killed while it is away",
    run: ({ tests }) => tests("./test/cluster-outage.test.ts"),
  },
  {
    name: "over HTTP: 5,000 requests on two upstreams of which one fails in every way, on both databases",
    run: ({ tests }) => tests("./test/failover-flaky.test.ts"),
  },
  {
    name: "20 restarts under 100 streams and 100 requests a second, on SQLite and PostgreSQL",
    run: ({ tests }) => tests("./test/restart.test.ts", "loses and refuses none"),
  },
  {
    name: "over HTTP: a key deleted under 200 requests a second on three instances, prices and groups changed",
    run: ({ tests }) => tests("./test/cluster-changes.test.ts"),
  },
];
