import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { applyYaml, freshDir, keyOf, removeDir, settledRow, startGateway, wicketgate } from "./harness.ts";
import { chat, chatBody } from "./harness-client.ts";

/** Every receipt recomputes from what is stored on it, and what was altered behind its back is found. */

const dir = freshDir();
let whole: string;
let cut: string;

beforeAll(async () => {
  const keys = await applyYaml(
    dir,
    `
upstreams: [{ name: demo, kind: demo, models: { plain: demo-tokens-20, huge: demo-huge-tokens-20, cut: demo-cut-5 } }]
models:
  - { name: plain, max_output_tokens: 100, price: { input: 1.25, output: 10, request: 0.001, tiers: [{ above: 10, input: 3, output: 20 }] } }
  - { name: cut, max_output_tokens: 100, price: { input: 1, output: 7.333333 } }
groups: [{ name: default, models: [plain, cut], multiplier: 1.3333 }]
accounts: [{ email: ann@example.org, balance: 10 }]
keys: [{ account: ann@example.org, name: laptop, group: default }]
`,
  );
  const gateway = await startGateway(dir);
  const ask = { key: keyOf(keys, "laptop").key };
  const long = chatBody("plain", { messages: [{ role: "user", content: "word ".repeat(50) }] });
  for (const body of [chatBody("plain"), long, { ...long, demo: { usage: "huge" } }])
    await chat(gateway.base, { ...ask, body });
  const last = await chat(gateway.base, { ...ask, body: chatBody("plain", { stream: true }) });
  whole = (await settledRow(dir, last.requestId)).id;
  const broken = await chat(gateway.base, { ...ask, body: chatBody("cut", { stream: true }) });
  cut = (await settledRow(dir, broken.requestId)).id;
  await gateway.stop();
});
afterAll(() => removeDir(dir));

type Told = {
  clean: boolean;
  invariants: number;
  findings: { invariant: string; row: string; found: string }[];
};

async function verify(): Promise<Told & { code: number; stderr: string }> {
  const { code, stdout, stderr } = await wicketgate(dir, ["verify", "--json"]);
  return { ...(JSON.parse(stdout) as Told), code, stderr };
}

/** With the id of the row that it is about, where it names one. */
type Statement = string | readonly [sql: string, row: string];

/** Alters the file, looks, and puts it back as it was. */
async function altered(...statements: Statement[]): Promise<Told & { code: number }> {
  const db = new Database(join(dir, "wicketgate.db"));
  const tables = ["usage", "prices", "keys", "accounts", "ledger", "usage_sums", "usage_days"];
  for (const table of tables) db.run(`create table kept_${table} as select * from ${table}`);
  for (const statement of statements) {
    const [sql, ...row] = typeof statement === "string" ? [statement] : statement;
    db.run(sql, row);
  }
  const told = await verify();
  for (const table of tables) {
    db.run(`delete from ${table}`);
    db.run(`insert into ${table} select * from kept_${table}`);
    db.run(`drop table kept_${table}`);
  }
  db.close();
  return told;
}

const RECEIPT = "a row costs its usage at its price and multiplier, up to what was held for it";

test("clean books are told as such, with the number of what was checked", async () => {
  const { code, clean, invariants, findings, stderr } = await verify();
  expect({ code, clean, findings, stderr }).toEqual({ code: 0, clean: true, findings: [], stderr: "" });
  expect((await wicketgate(dir, ["verify"])).stdout).toBe(`clean: ${invariants} invariants hold\n`);
});

describe("it finds", () => {
  test("a cost that was altered everywhere it is counted", async () => {
    const { code, findings } = await altered(
      ["update usage set cost = cost - 1 where id = ?", whole],
      ["update ledger set amount = amount + 1 where usage_id = ?", whole],
      "update keys set spent = spent - 1",
      "update accounts set balance = balance + 1 where email = 'ann@example.org'",
      ["update usage_sums set cost = cost - 1 where series = (select series from usage where id = ?)", whole],
    );
    expect(code).toBe(1);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ invariant: RECEIPT, row: whole });
    expect(findings[0]?.found).toMatch(/^stored \d+, expected \d+$/);
  });

  test("usage, a multiplier, and a hold that was altered", async () => {
    for (const change of ["output = output + 1", "input = 0", "multiplier = 10000", "hold = 1"]) {
      const { code, findings } = await altered([`update usage set ${change} where id = ?`, cut]);
      expect(code).toBe(1);
      const receipts = findings.filter(({ invariant }) => invariant === RECEIPT);
      expect(receipts.map(({ row }) => row)).toEqual([cut]);
    }
  });

  test("a price that was altered, and one that is gone", async () => {
    const dearer = await altered("update prices set output = output * 2, tiers = '[]'");
    expect(dearer.findings.length).toBeGreaterThan(2);
    const gone = await altered("pragma foreign_keys = off", "delete from prices");
    expect(gone.code).toBe(1);
    const receipts = gone.findings.filter(({ invariant }) => invariant === RECEIPT);
    expect(receipts.length).toBeGreaterThan(2);
    expect(receipts.every(({ found }) => /^its price prc_\w+ is not there$/.test(found))).toBe(true);
    const unnamed = await altered(["update usage set price_id = null where id = ?", whole]);
    expect(unnamed.findings).toEqual([{ invariant: RECEIPT, row: whole, found: "its price has no name" }]);
  });

  test("the one that is wrong among many thousands, and no more than twenty are listed", async () => {
    const db = new Database(join(dir, "wicketgate.db"));
    const columns = db
      .query<{ name: string }, []>("select name from pragma_table_info('usage')")
      .all()
      .map(({ name }) => (name === "id" ? "'req_2' || printf('%025d', n)" : name === "cost" ? "0" : name));
    db.close();
    const numbers =
      "with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 12000)";
    const copies = `${numbers} insert into usage select ${columns.join(", ")} from usage, numbers where id = ?`;
    // They use nothing, at a price without a charge for the call.
    const nothing = "update usage set input = 0, cache_read = 0, output = 0 where id like 'req_2%'";
    const free = "update prices set request = 0";
    const kept = `delete from usage where id not like 'req_2%'`;
    const spent = "update keys set spent = 0";
    const rest = [
      "delete from ledger where kind = 'charge'",
      "update accounts set balance = 0",
      "delete from ledger",
    ];
    // As if they were of a version that had no sums.
    const unsummed = ["update usage set series = null", "delete from usage_sums", "delete from usage_days"];
    const one = "update usage set output = 1 where id like 'req_2%11111'";
    const base = [[copies, whole] as const, nothing, free, kept, spent, ...rest, ...unsummed];
    expect((await altered(...base, one)).findings.map(({ row }) => row)).toEqual([
      `req_2${"11111".padStart(25, "0")}`,
    ]);
    expect((await altered(...base, "update usage set output = 1")).findings).toHaveLength(20);
  });
});
