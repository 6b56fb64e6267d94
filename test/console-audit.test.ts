import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DATABASES, type OperatorRig, startOperator } from "./console-operator-rig.ts";
import { OPERATOR } from "./console-rig.ts";
import { mustRun, wicketgate } from "./harness.ts";

for (const database of DATABASES) {
  describe(`the audit's page on ${database}`, () => {
    let rig: OperatorRig;
    beforeAll(async () => {
      rig = await startOperator(database);
      await rig.invited("ann@example.org");
      await rig.invited("a_b@example.org");
      await mustRun(rig.dir, ["account", "credit", "ann@example.org", "1", "--reason", "=1+1, a gift"]);
      for (const note of ["one", "two"]) {
        await rig.operator.call("POST /operator/codes", { body: { count: 1, amount_usd: "1", note } });
      }
    });
    afterAll(() => rig.dispose());

    const list = async (query: object = {}) =>
      (await rig.operator.call("GET /operator/audit", { query: query as never })).entries;

    test("shows every change, newest first, page by page without a gap", async () => {
      const all = await list({ limit: 200 });
      expect(all.map(({ number }) => number)).toEqual(all.map((_, at) => all.length - at));
      const pages = [];
      let before: string | undefined;
      for (;;) {
        const query = { limit: 3, ...(before === undefined ? {} : { before }) };
        const page = await rig.operator.call("GET /operator/audit", { query });
        pages.push(...page.entries);
        expect(page.chain).toBe("whole");
        if (page.next === null) break;
        before = page.next;
      }
      expect(pages).toEqual(all);
      const wrong = await rig.operator.refused("GET /operator/audit", { query: { before: "x" } });
      expect(wrong).toMatchObject({ status: 400, error: { fields: [{ path: "before" }] } });
    });

    test("is filtered by who, what, which and when", async () => {
      const all = await list({ limit: 200 });
      for (const [query, keeps] of [
        [{ by: OPERATOR }, (entry: (typeof all)[number]) => entry.by === OPERATOR],
        [{ by: "command line" }, entry => entry.by === "command line"],
        [{ noun: "code" }, entry => entry.noun === "code"],
        [{ name: "ANN@" }, entry => entry.name.includes("ann@")],
        [{ name: "a_b" }, entry => entry.name.includes("a_b")],
        [{ name: "%" }, () => false],
        [{ noun: "code", by: "nobody" }, () => false],
        [{ noun: " ", name: "" }, () => true],
        [{ from: all[2]?.at }, entry => entry.at >= (all[2]?.at ?? "")],
        [{ to: all[2]?.at }, entry => entry.at < (all[2]?.at ?? "")],
      ] as [object, (entry: (typeof all)[number]) => boolean][]) {
        const found = await list({ ...query, limit: 200 });
        expect([query, found]).toEqual([query, all.filter(keeps)]);
      }
      expect((await list({ noun: "code" })).length).toBe(2);
      expect((await list({ name: "a_b" })).length).toBeGreaterThan(0);
    });

    test("names who and what it can be filtered by", async () => {
      const all = await list({ limit: 200 });
      const names = await rig.operator.call("GET /operator/audit/names");
      expect(names.nouns).toEqual([...new Set(all.map(({ noun }) => noun))].sort());
      expect(names.by.toSorted()).toEqual([...new Set(all.map(({ by }) => by))].sort());
      expect(names.by).toContain(OPERATOR);
    });

    test("is exported as it is filtered, and opens in a spreadsheet without doing anything", async () => {
      const name = "GET /operator/audit/export";
      const query = { name: "ann@example.org" };
      const json = await rig.operator.send(name, { query: { ...query, format: "json" } });
      expect(json.headers.get("content-disposition")).toMatch(/^attachment; filename="audit-[\d-]+\.json"$/);
      const entries = (await json.json()) as Record<string, unknown>[];
      const listed = await list({ ...query, limit: 200 });
      expect(entries.map(({ hash: _, ...entry }) => entry) as unknown[]).toEqual(listed);
      for (const { hash } of entries) expect(hash).toMatch(/^[0-9a-f]{64}$/);
      const csv = await rig.operator.send(name, { query: { ...query, format: "csv" } });
      const text = await csv.text();
      expect(csv.headers.get("content-type")).toContain("text/csv");
      expect(text.split("\r\n")[0]).toBe("number,at,by,through,address,noun,name,id,action,changes,hash");
      expect(text).toContain('"balance: 10.00 → 11.00\nreason:  → =1+1, a gift"');
      const none = await rig.operator.send(name, { query: { name: "no such thing", format: "json" } });
      expect(await none.json()).toEqual([]);
      const whole = await rig.operator.send(name, { query: { format: "csv" } });
      const lines = (await whole.text()).split("\r\n").length - 2;
      expect(lines).toBe((await list({ limit: 200 })).length);
    });

    test("says that the chain is broken as soon as somebody has changed it, and whole when it is mended", async () => {
      const chain = async () => (await rig.operator.call("GET /operator/audit")).chain;
      const [last] = await list();
      const number = last?.number ?? 0;
      expect(await chain()).toBe("whole");
      // What is added is looked at with the next page.
      await rig.operator.call("POST /operator/codes", { body: { count: 1, amount_usd: "1", note: "x" } });
      await rig.change("update audit set actor = 'nobody' where number = ?", number + 1);
      expect(await chain()).toBe("broken");
      expect((await wicketgate(rig.dir, ["verify"])).code).not.toBe(0);
      await rig.change("update audit set actor = ? where number = ?", OPERATOR, number + 1);
      expect(await chain()).toBe("whole");
      // The newest entry is gone, and nothing else.
      await rig.change("delete from audit where number = ?", number + 1);
      expect(await chain()).toBe("broken");
    });
  });
}
