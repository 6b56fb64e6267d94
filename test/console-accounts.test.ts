import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DATABASES, type OperatorRig, Program, startOperator } from "./console-operator-rig.ts";
import { type Browser, OPERATOR, PASSWORD } from "./console-rig.ts";
import { eventually, mustRun, verifyClean, wicketgate } from "./harness.ts";

const NOBODY = `acc_${"0".repeat(26)}`;

for (const database of DATABASES) {
  describe(`accounts by their operators on ${database}`, () => {
    let rig: OperatorRig;
    let count = 0;
    beforeAll(async () => {
      rig = await startOperator(database);
    });
    afterAll(async () => {
      await verifyClean(rig.dir);
      await rig.dispose();
    });

    const holder = async (role: "holder" | "operator" = "holder") => {
      count += 1;
      const email = `h${count}@example.org`;
      const browser = await rig.invited(email, { role, balance_usd: "10" });
      return { email, browser, id: await rig.idOf(email) };
    };
    const newest = async (name: string, limit = 1) =>
      (await rig.operator.call("GET /operator/audit", { query: { name, limit } })).entries;
    const planId = async (name: string) => (await rig.planIds()).get(name) ?? "";
    const groupId = async (browser: Browser, name: string) =>
      (await browser.call("GET /groups")).groups.find(group => group.name === name)?.id ?? "";

    test("role, state and limits change by the rules of the command line, and each change stands in the audit", async () => {
      const { id, email, browser } = await holder();
      const patch = (body: object) =>
        rig.operator.call("PATCH /operator/accounts/{id}", { params: { id }, body });
      const limited = await patch({ concurrency: 3, spend_per_day_usd: "2.5" });
      expect(limited.limits).toMatchObject({
        concurrency: 3,
        spend_per_day_usd: "2.50",
        tokens_per_minute: null,
      });
      // What is not named stays.
      const more = await patch({ tokens_per_minute: 1000, concurrency: null });
      expect(more.limits).toMatchObject({
        concurrency: null,
        spend_per_day_usd: "2.50",
        tokens_per_minute: 1000,
      });
      const [entry] = await newest(email);
      expect(entry).toMatchObject({
        noun: "account",
        id,
        action: "update",
        by: OPERATOR,
        through: "console",
      });
      expect(entry?.fields).toEqual([
        { field: "tokens_per_minute", before: "none", after: "1000" },
        { field: "concurrency", before: "3", after: "none" },
      ]);
      expect((await patch({ role: "operator" })).account.role).toBe("operator");
      await browser.call("GET /operator/accounts");
      // The same again is no change, and no entry.
      const before = (await newest(email))[0]?.number;
      await patch({ role: "operator", tokens_per_minute: 1000 });
      expect((await newest(email))[0]?.number).toBe(before);
      await patch({ role: "holder" });
      expect((await browser.refused("GET /operator/accounts")).error.code).toBe("not_allowed");
    });

    test("a disabled account is out at once: its sessions and its keys", async () => {
      const { id, browser, email } = await holder();
      const group = await groupId(browser, "all");
      const { string } = await browser.call("POST /keys", { body: { name: "k", group } });
      const ask = () =>
        fetch(`${rig.root}/v1/chat/completions`, {
          method: "POST",
          headers: { authorization: `Bearer ${string}`, "content-type": "application/json" },
          body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "Hello!" }] }),
        });
      expect((await ask()).status).toBe(200);
      const spent = await eventually(async () => {
        const { spent_usd: usd } = await rig.operator.call("GET /operator/accounts/{id}", { params: { id } });
        return usd !== "0.00" && usd;
      });
      expect(Number(spent)).toBeGreaterThan(0);
      await rig.operator.call("PATCH /operator/accounts/{id}", { params: { id }, body: { enabled: false } });
      const refused = await ask();
      expect(((await refused.json()) as { error: { reason: string } }).error.reason).toBe("account_disabled");
      expect((await browser.refused("GET /keys")).status).toBe(401);
      expect((await newest(email))[0]).toMatchObject({ action: "disable" });
      await rig.operator.call("PATCH /operator/accounts/{id}", { params: { id }, body: { enabled: true } });
      expect((await ask()).status).toBe(200);
      expect((await browser.refused("GET /keys")).status).toBe(401);
    });

    test("the last operator who can sign in is neither disabled nor demoted, from wherever", async () => {
      const id = await rig.idOf(OPERATOR);
      const params = { id };
      const own = await rig.operator.refused("PATCH /operator/accounts/{id}", {
        params,
        body: { enabled: false },
      });
      expect(own).toMatchObject({
        status: 409,
        error: { message: expect.stringContaining("your own account") },
      });
      const demoted = await rig.operator.refused("PATCH /operator/accounts/{id}", {
        ...{ params, body: { role: "holder" } },
      });
      expect(demoted).toMatchObject({
        status: 409,
        error: { message: expect.stringContaining("no operator") },
      });
      const { code, stderr } = await wicketgate(rig.dir, ["account", "disable", OPERATOR]);
      expect([code, stderr]).toEqual([1, expect.stringContaining("no operator who can sign in")]);
      const yaml = `accounts: [{ email: ${OPERATOR}, role: holder }]`;
      const applied = await wicketgate(rig.dir, ["apply", "-"], { stdin: yaml });
      expect([applied.code, applied.stderr]).toEqual([
        1,
        expect.stringContaining("no operator who can sign in"),
      ]);
      await rig.operator.call("GET /operator/accounts");
      // One who never chose a password does not count as one who can sign in.
      await mustRun(rig.dir, ["account", "add", "asleep@example.org", "--role", "operator"]);
      expect((await wicketgate(rig.dir, ["account", "disable", OPERATOR])).code).toBe(1);
      // With another one there, it is their decision.
      const { browser } = await holder("operator");
      await browser.call("PATCH /operator/accounts/{id}", { params, body: { role: "holder" } });
      expect((await rig.operator.refused("GET /operator/accounts")).error.code).toBe("not_allowed");
      await browser.call("PATCH /operator/accounts/{id}", { params, body: { role: "operator" } });
      const { entries } = await browser.call("GET /operator/audit", { query: { name: OPERATOR, limit: 2 } });
      expect(entries.map(({ fields }) => fields[0])).toEqual([
        { field: "role", before: "holder", after: "operator" },
        { field: "role", before: "operator", after: "holder" },
      ]);
    });

    test("a balance is credited and debited with a reason, once however often it is sent", async () => {
      const { id, email } = await holder();
      const move = (amount_usd: string, once: string) => ({
        params: { id },
        body: { amount_usd, reason: " a gift ", once },
      });
      const send = (amount: string, once: string) =>
        rig.operator.call("POST /operator/accounts/{id}/balance", move(amount, once));
      const moved = await Promise.all([1, 2, 3].map(() => send("2.5", `${email} 1`)));
      expect(new Set(moved.map(({ account }) => account.balance_usd))).toEqual(new Set(["12.50"]));
      expect((await send("-0.000000001", `${email} 2`)).account.balance_usd).toBe("12.499999999");
      const tooMuch = await rig.operator.refused(
        "POST /operator/accounts/{id}/balance",
        move("-100", `${email} 3`),
      );
      expect(tooMuch).toMatchObject({ status: 409, error: { message: expect.stringContaining("free") } });
      const other = await rig.operator.refused(
        "POST /operator/accounts/{id}/balance",
        move("7", `${email} 1`),
      );
      expect(other.error.message).toContain("used before");
      const zero = await rig.operator.refused("POST /operator/accounts/{id}/balance", move("0", "z"));
      expect(zero.error.fields?.[0]?.path).toBe("amount_usd");
      const { lines } = await rig.operator.call("GET /operator/accounts/{id}/ledger", { params: { id } });
      expect(lines.map(({ kind, amount_usd, why, by }) => [kind, amount_usd, why, by])).toEqual([
        ["debit", "-0.000000001", "a gift", OPERATOR],
        ["credit", "2.50", "a gift", OPERATOR],
        ["credit", "10.00", "opening balance", OPERATOR],
      ]);
      expect(await newest(email, 2)).toMatchObject([{ action: "debit" }, { action: "credit" }]);
    });

    test("a subscription is given, moved and ended, and leaves the others alone", async () => {
      const { id, email, browser } = await holder();
      const [small, large] = [await planId("small"), await planId("large")];
      const give = (plan: string, until: string | null) =>
        rig.operator.call("POST /operator/accounts/{id}/subscriptions", {
          params: { id },
          body: { plan, until },
        });
      const both = await Promise.all([give(small, null), give(large, "2099-01-01T00:00:00Z")]);
      expect(both).toHaveLength(2);
      const detail = await rig.operator.call("GET /operator/accounts/{id}", { params: { id } });
      expect(detail.subscriptions.map(({ plan, until }) => [plan, until]).sort()).toEqual([
        ["large", "2099-01-01T00:00:00.000Z"],
        ["small", null],
      ]);
      expect((await browser.call("GET /account")).subscriptions).toHaveLength(2);
      await give(small, "2098-01-01T00:00:00Z");
      expect((await newest(email))[0]?.fields).toEqual([
        { field: "subscription small", before: "without end", after: "until 2098-01-01T00:00:00.000Z" },
      ]);
      const past = await rig.operator.refused("POST /operator/accounts/{id}/subscriptions", {
        ...{ params: { id }, body: { plan: small, until: "2020-01-01T00:00:00Z" } },
      });
      expect(past).toMatchObject({ status: 400, error: { fields: [{ path: "until" }] } });
      const unknown = await rig.operator.refused("POST /operator/accounts/{id}/subscriptions", {
        ...{ params: { id }, body: { plan: "pln_none", until: null } },
      });
      expect(unknown).toMatchObject({ status: 409, error: { fields: [{ path: "plan" }] } });
      const subscription = detail.subscriptions.find(({ plan }) => plan === "small")?.id ?? "";
      const end = { params: { id, subscription } };
      const ended = await rig.operator.call(
        "DELETE /operator/accounts/{id}/subscriptions/{subscription}",
        end,
      );
      expect(ended.subscriptions.map(({ plan, is_over }) => [plan, is_over]).sort()).toEqual([
        ["large", false],
        ["small", true],
      ]);
      const again = await rig.operator.refused(
        "DELETE /operator/accounts/{id}/subscriptions/{subscription}",
        end,
      );
      expect(again.status).toBe(409);
      const { id: stranger } = await holder();
      const foreign = await rig.operator.refused(
        "DELETE /operator/accounts/{id}/subscriptions/{subscription}",
        {
          params: { id: stranger, subscription },
        },
      );
      expect(foreign.status).toBe(404);
    });

    test("sign-out ends every session, and stands in the audit", async () => {
      const { id, email, browser } = await holder();
      const second = rig.browser();
      await second.signIn(email, PASSWORD);
      const params = { id };
      expect((await rig.operator.call("GET /operator/accounts/{id}", { params })).sessions).toBe(2);
      await rig.operator.call("POST /operator/accounts/{id}/sign-out", { params });
      for (const one of [browser, second]) expect((await one.refused("GET /account")).status).toBe(401);
      expect((await rig.operator.call("GET /operator/accounts/{id}", { params })).sessions).toBe(0);
      expect((await newest(email))[0]).toMatchObject({
        action: "sign out",
        fields: [{ field: "sessions", before: "2", after: "0" }],
      });
    });

    test("keys are seen, never their strings, and disabled, enabled and deleted for their holder", async () => {
      const { id, browser } = await holder();
      const { id: stranger } = await holder();
      const group = await groupId(browser, "all");
      const made = await browser.call("POST /keys", { body: { name: "theirs", group } });
      const change = (to: string, whose = id) => ({ params: { id: whose, key: made.key.id, change: to } });
      const name = "POST /operator/accounts/{id}/keys/{key}/{change}";
      const listed = await rig.operator.call("GET /operator/accounts/{id}/keys", { params: { id } });
      expect(listed.keys).toMatchObject([{ name: "theirs", state: "active" }]);
      expect(JSON.stringify(listed)).not.toContain(made.string);
      expect((await rig.operator.call(name, change("disable"))).keys[0]?.state).toBe("disabled");
      expect((await rig.operator.call(name, change("enable"))).keys[0]?.state).toBe("active");
      for (const wrong of [change("rotate"), change("disable", stranger), change("disable", NOBODY)]) {
        expect((await rig.operator.refused(name, wrong)).status).toBe(404);
      }
      expect((await rig.operator.call(name, change("delete"))).keys[0]?.state).toBe("deleted");
      const entries = (await rig.operator.call("GET /operator/audit", { query: { noun: "key" } })).entries;
      const theirs = entries.filter(entry => entry.id === made.key.id);
      expect(theirs.map(({ action, by }) => [action, by === OPERATOR])).toEqual([
        ["delete", true],
        ["enable", true],
        ["disable", true],
        ["create", false],
      ]);
    });

    test("many at once: all of it or none", async () => {
      const people = [await holder(), await holder(), await holder()];
      const ids = people.map(({ id }) => id);
      const many = (change: object, whom: string[] = ids) => ({ body: { ids: whom, change } }) as never;
      const name = "POST /operator/accounts/many";
      const balances = async () => {
        const { accounts } = await rig.operator.call("GET /operator/accounts");
        return ids.map(id => accounts.find(one => one.id === id)?.balance_usd);
      };
      const credit = { what: "credit", amount_usd: "1", reason: "for all", once: `many ${database}` };
      const half = await rig.operator.refused(name, many(credit, [...ids, NOBODY]));
      expect(half).toMatchObject({ status: 409, error: { fields: [{ path: "ids" }] } });
      expect(await balances()).toEqual(["10.00", "10.00", "10.00"]);
      expect(await rig.operator.call(name, many(credit, [...ids, ids[0] ?? ""]))).toEqual({ changed: 3 });
      expect(await rig.operator.call(name, many(credit))).toEqual({ changed: 0 });
      expect(await balances()).toEqual(["11.00", "11.00", "11.00"]);
      const subscribe = { what: "subscribe", plan: await planId("small"), until: null };
      expect(await rig.operator.call(name, many(subscribe))).toEqual({ changed: 3 });
      expect(await rig.operator.call(name, many(subscribe))).toEqual({ changed: 0 });
      const me = await rig.idOf(OPERATOR);
      const own = await rig.operator.refused(name, many({ what: "disable" }, [...ids, me]));
      expect(own.error.message).toContain("your own account");
      expect(await rig.operator.call(name, many({ what: "disable" }))).toEqual({ changed: 3 });
      for (const { browser } of people) expect((await browser.refused("GET /account")).status).toBe(401);
      expect(await rig.operator.call(name, many({ what: "enable" }, ids.slice(1)))).toEqual({ changed: 2 });
      const { accounts } = await rig.operator.call("GET /operator/accounts");
      expect(ids.map(id => accounts.find(one => one.id === id)?.enabled)).toEqual([false, true, true]);
    });

    test("codes are made in batches, shown once, listed by state and taken back while nobody has used them", async () => {
      const { browser, email } = await holder();
      const body = { count: 3, amount_usd: "2", note: "spring", expires_at: null };
      const { codes } = await rig.operator.call("POST /operator/codes", { body });
      expect(codes).toHaveLength(3);
      const [first, second] = codes;
      await browser.call("POST /account/redeem", { body: { code: first?.code ?? "" } });
      const drop = { params: { id: second?.id ?? "" } };
      await rig.operator.call("DELETE /operator/codes/{id}", drop);
      const refused = await browser.refused("POST /account/redeem", { body: { code: second?.code ?? "" } });
      expect(refused.error.message).toContain("expired");
      const used = await rig.operator.refused("DELETE /operator/codes/{id}", {
        params: { id: first?.id ?? "" },
      });
      expect(used).toMatchObject({ status: 409, error: { message: expect.stringContaining(email) } });
      const byState = async (state: "open" | "redeemed" | "expired") =>
        (await rig.operator.call("GET /operator/codes", { query: { state } })).codes.map(({ id }) => id);
      expect(await byState("open")).toEqual([codes[2]?.id ?? ""]);
      expect(await byState("redeemed")).toEqual([first?.id ?? ""]);
      expect(await byState("expired")).toEqual([second?.id ?? ""]);
      const page = await rig.operator.call("GET /operator/codes", { query: { limit: 2 } });
      const rest = await rig.operator.call("GET /operator/codes", { query: { before: page.next ?? "" } });
      const listed = [...page.codes, ...rest.codes];
      expect(listed.map(({ id }) => id)).toEqual(codes.map(({ id }) => id).reverse());
      expect(JSON.stringify(listed)).not.toContain(first?.code ?? "");
      expect(await newest("", 5)).toMatchObject([
        { noun: "code", action: "revoke", by: OPERATOR },
        { noun: "code", action: "redeem", by: email },
        { noun: "code", action: "create", name: "3 codes" },
        {},
        {},
      ]);
    });

    test("the same change by console, API and apply gives the same row and the same entry", async () => {
      const until = "2097-01-01T00:00:00.000Z";
      const body = { name: "all ways", scope: "write-all", days: 1 } as const;
      const { string } = await rig.operator.call("POST /operator/tokens", { body });
      const limits = { requests_per_minute: 7, spend_per_month_usd: "3" };
      const plan = await planId("small");
      const byApi = async (browser: Browser, id: string) => {
        const change = { role: "operator", ...limits } as const;
        await browser.call("PATCH /operator/accounts/{id}", { params: { id }, body: change });
        const given = { params: { id }, body: { plan, until } };
        await browser.call("POST /operator/accounts/{id}/subscriptions", given);
      };
      const byApply = async (email: string) => {
        const account = {
          ...{ email, role: "operator", subscriptions: [{ plan: "small", until }] },
          limits: { requests_per_minute: 7, spend_per_month: 3 },
        };
        await mustRun(rig.dir, ["apply", "-"], { stdin: JSON.stringify({ accounts: [account] }) });
      };
      const told = [];
      for (const [through, change] of [
        ["console", (_: string, id: string) => byApi(rig.operator, id)],
        ["token", (_: string, id: string) => byApi(new Program(rig.root, string), id)],
        ["apply", byApply],
      ] as const) {
        const { email, id } = await holder();
        await change(email, id);
        const detail = await rig.operator.call("GET /operator/accounts/{id}", { params: { id } });
        const { role, enabled, balance_usd } = detail.account;
        const subscriptions = detail.subscriptions.map(({ id: _, ...one }) => one);
        const entries = (await newest(email, 2)).map(({ noun, action, fields, name, id: of, ...by }) => {
          expect([name, of, by.through]).toEqual([email, id, through]);
          return { noun, action, fields };
        });
        told.push({ role, enabled, balance_usd, limits: detail.limits, subscriptions, entries });
      }
      expect(told).toEqual([told[0], told[0], told[0]] as typeof told);
      expect(told[0]?.entries).toHaveLength(2);
      expect(told[0]?.entries[1]?.fields).toEqual([
        { field: "role", before: "holder", after: "operator" },
        { field: "requests_per_minute", before: "none", after: "7" },
        { field: "spend_per_month", before: "none", after: "3.00" },
      ]);
    });

    test("what is not there is not found", async () => {
      for (const id of [NOBODY, "none", `key_${"0".repeat(26)}`]) {
        expect((await rig.operator.refused("GET /operator/accounts/{id}", { params: { id } })).status).toBe(
          404,
        );
      }
    });
  });
}
