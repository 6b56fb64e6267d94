import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Browser, OPERATOR, PASSWORD } from "./console-rig.ts";
import {
  freshDir,
  type Gateway,
  mustRun,
  removeDir,
  setEnvironment,
  startGateway,
  verifyClean,
} from "./harness.ts";
import { instanceAt, measured, SECRET, startCluster } from "./harness-cluster.ts";

/** What is set at one place holds at every other at once. */

/** The promise is 250 ms; a test on a busy machine is given more. */
const NOTICED_MS_MAX = 600;
const LOOK_MS = 10;

type House = { dir: string; gateways: Gateway[]; operator: Browser; stop: () => Promise<void> };

async function sqlite(): Promise<House> {
  const dir = freshDir();
  setEnvironment(dir, { WICKETGATE_SECRET: SECRET });
  const gateway = await startGateway(dir);
  const operator = new Browser(gateway.url);
  await operator.enterBy(gateway.setupLink ?? "", { email: OPERATOR });
  return {
    ...{ dir, gateways: [gateway], operator },
    stop: async () => {
      await gateway.stop();
      await verifyClean(dir);
      removeDir(dir);
    },
  };
}

async function postgres(): Promise<House> {
  const cluster = await startCluster({ count: 2 });
  const operator = new Browser(instanceAt(cluster.instances, 0).url);
  const links = cluster.instances.flatMap(({ setupLink }) => setupLink ?? []);
  await Promise.allSettled(links.map(link => operator.enterBy(link, { email: OPERATOR })));
  return { dir: cluster.dir, gateways: cluster.instances, operator, stop: cluster.stop };
}

for (const [name, start] of [
  ["SQLite, one instance and the command line", sqlite],
  ["PostgreSQL, two instances and the command line", postgres],
] as const) {
  describe(name, () => {
    let house: House;
    beforeAll(async () => {
      house = await start();
      // The first to come waits for the console to be loaded.
      for (const { url } of house.gateways) await new Browser(url).call("GET /house");
    }, 60_000);
    afterAll(() => house.stop(), 60_000);

    /** Makes the change and gives how long after its end the last instance still knew the old. */
    const noticed = async (change: () => Promise<unknown>, isNew: (browser: Browser) => Promise<boolean>) => {
      await change();
      const sinceTick = performance.now();
      const waits = house.gateways.map(async ({ url }) => {
        const browser = new Browser(url);
        while (!(await isNew(browser))) {
          if (performance.now() - sinceTick > 10_000) throw new Error("it was never noticed");
          await Bun.sleep(LOOK_MS);
        }
        return performance.now() - sinceTick;
      });
      return Math.max(...(await Promise.all(waits)));
    };
    const told = async (what: string, ms: number) => {
      measured(`${name}: ${what} holds everywhere after ${ms.toFixed(0)} ms`);
      expect(ms).toBeLessThan(NOTICED_MS_MAX);
    };
    const set = (settings: Record<string, string | null>) =>
      house.operator.call("PATCH /operator/settings", { body: { settings } });

    test("a change in the console holds on every instance", async () => {
      for (const round of ["One", "Two", "Three"]) {
        const ms = await noticed(
          () => set({ name: `House ${round}`, public_url: `https://${round.toLowerCase()}.example.org` }),
          async browser => {
            const found = await browser.call("GET /house");
            return (
              found.name === `House ${round}` &&
              found.messages_address === `https://${round.toLowerCase()}.example.org`
            );
          },
        );
        await told("a name and an address", ms);
      }
      await noticed(
        () => set({ public_url: null }),
        async browser => !(await browser.call("GET /house")).messages_address.includes("example.org"),
      );
    });

    test("a change on the command line does, too", async () => {
      const ms = await noticed(
        () => mustRun(house.dir, ["settings", "set", "registration", "open"]),
        async browser => (await browser.call("GET /house")).registration,
      );
      await told("an open registration", ms);
      for (const [at, { url }] of house.gateways.entries()) {
        await new Browser(url).call("POST /register", {
          body: { email: `new${at}@example.org`, password: PASSWORD },
        });
      }
    });

    test("two operators at once leave settings that hold together", async () => {
      const both = { smtp_user: "gate", smtp_password: "hunter2" };
      for (let round = 0; round < 5; round++) {
        await set({ smtp_user: null, smtp_password: null });
        await set(both);
        const browsers = await Promise.all(
          [0, 1].map(async at => {
            const browser = new Browser(instanceAt(house.gateways, at).url);
            await browser.signIn(OPERATOR);
            return browser;
          }),
        );
        const changes = [
          { smtp_user: null },
          { smtp_password: null },
          { smtp_user: null, smtp_password: null },
        ];
        const answers = await Promise.all(
          changes.map((settings, at) =>
            browsers[at % 2]?.send("PATCH /operator/settings", { body: { settings } }),
          ),
        );
        expect(
          answers.map(answer => answer?.status).filter(status => status !== 200 && status !== 400),
        ).toEqual([]);
        const { settings } = await house.operator.call("GET /operator/settings");
        const isSet = (name: string) => settings.find(one => one.name === name)?.is_set;
        expect(isSet("smtp_user")).toBe(isSet("smtp_password"));
      }
    });
  });
}
