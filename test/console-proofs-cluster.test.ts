import { afterAll, beforeAll, expect, test } from "bun:test";
import { generate } from "otplib";
import { Browser, OPERATOR, PASSWORD } from "./console-rig.ts";
import { type Cluster, startCluster } from "./harness-cluster.ts";
import { Authenticator } from "./passkey-authenticator.ts";

/** What works once works once over all instances: two servers on one PostgreSQL, asked at the same moment. */

/** What follows the accounts of the rig. */
const YAML = `  - { email: payer@example.org, balance: 1, subscriptions: [{ plan: daily }] }
plans:
  - { name: daily, groups: [other], quota: 0.05, window: day }
`;

let cluster: Cluster;
let roots: string[];
let operator: Browser;

beforeAll(async () => {
  cluster = await startCluster({ count: 2, yaml: YAML });
  roots = cluster.instances.map(({ url }) => url.replace("127.0.0.1", "localhost"));
  operator = new Browser(roots[0] ?? "");
  // Of several links that instances print, the newest works.
  const links = cluster.instances.flatMap(({ setupLink }) => setupLink ?? []);
  const entered = await Promise.allSettled(links.map(link => operator.enterBy(link, { email: OPERATOR })));
  expect(entered.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});
afterAll(() => cluster.stop());

/** At every instance at once, several times each; the statuses that came. */
async function everywhere(ask: (browser: Browser) => Promise<Response>): Promise<Record<number, number>> {
  const browsers = [...roots, ...roots, ...roots].map(root => new Browser(root));
  const answers = await Promise.all(browsers.map(ask));
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const CODE_TRIES = 5;

test("a recovery code and a code of the app let in once", async () => {
  const { ticket, secret } = await operator.call("POST /account/totp");
  const { recovery_codes: codes } = await operator.call("POST /account/totp/confirm", {
    body: { ticket, code: await generate({ secret }) },
  });
  const soon = await generate({ secret, epoch: Math.floor(Date.now() / 1000) + 30 });
  for (const code of [codes[0] ?? "", soon]) {
    const tickets = await Promise.all(
      [...roots, ...roots, ...roots].map(async root => {
        const body = { email: OPERATOR, password: PASSWORD };
        const step = await new Browser(root).call("POST /sign-in", { body });
        return step.next === "second_factor" ? step.ticket : "";
      }),
    );
    const counts = await everywhere(browser =>
      browser.send("POST /sign-in/second-factor", { body: { ticket: tickets.pop() ?? "", code } }),
    );
    expect(counts[200]).toBe(1);
    // The rest are told that it is wrong, or, after so many tries, to wait.
    expect((counts[403] ?? 0) + (counts[429] ?? 0)).toBe(CODE_TRIES);
    await cluster.sql("delete from throttles");
  }
  await operator.call("DELETE /account/totp");
});

test("an answer of a passkey lets in once", async () => {
  const { ticket, options } = await operator.call("POST /account/passkeys/options");
  const device = new Authenticator(operator.root);
  const made = { ticket, name: "laptop", response: device.create(options) };
  await operator.call("POST /account/passkeys", { body: made });
  const asked = await new Browser(operator.root).call("POST /sign-in/passkey/options");
  const body = { ticket: asked.ticket, response: device.get(asked.options) };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => new Browser(operator.root).send("POST /sign-in/passkey", { body })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410, 410, 410]);
});

test("the account's page is the same at every instance", async () => {
  const { link } = await operator.call("POST /operator/invitations", {
    body: { email: "payer@example.org", role: "holder" },
  });
  const [here, there] = roots.map(root => new Browser(root));
  await here?.enterBy(link);
  await there?.signIn("payer@example.org");
  await here?.call("PATCH /account", { body: { low_balance_usd: "2", name: "Payer" } });
  const seen = await there?.call("GET /account");
  expect(seen).toMatchObject({ name: "Payer", balance_usd: "1.00", balance_is_low: true });
  expect(seen?.subscriptions).toMatchObject([{ plan: "daily", left_usd: "0.05", quota_usd: "0.05" }]);
  const { lines } = (await there?.call("GET /account/ledger")) ?? { lines: [] };
  expect(lines.map(({ kind, amount_usd }) => [kind, amount_usd])).toEqual([["credit", "1.00"]]);
});
