import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { ApplySpec, UpstreamSpec } from "./apply.ts";
import { applySpec } from "./apply.ts";
import { tester } from "./audit-test-rig.ts";
import { Bank, newId, time } from "./bank.case.ts";
import { readCatalogue, revision } from "./catalogue.ts";
import { addCredential, type CredentialSpec, removeCredential } from "./credentials.ts";
import { databases } from "./databases.case.ts";
import { credentialTables } from "./schema-credentials.ts";
import { StoreProblem } from "./store.ts";
import { resetUpstream } from "./upstreams.ts";

const BASE_URL = "https://models.example.org/v1";

function credential(name: string): CredentialSpec {
  return {
    id: newId("crd"),
    sealed: Buffer.from(`sealed ${name}`),
    mark: `mark ${name}`,
    preview: `…${name}`,
  };
}

function upstream(credentials: readonly string[] | null, given: Partial<UpstreamSpec> = {}): UpstreamSpec {
  return {
    ...{ id: newId("ups"), name: "up", kind: "openai-compatible", baseUrl: BASE_URL },
    ...{
      speaks: ["chat"],
      priority: 0,
      weight: 1,
      concurrencyMax: null,
      probeMinutes: null,
      isPaused: null,
      cost: null,
    },
    ...{ models: [["m", "m"]], credentials: credentials?.map(credential) ?? null },
    ...given,
  };
}

const by = tester(time.nowMs);

function spec(one: UpstreamSpec): ApplySpec {
  const none = { models: [], groups: [], plans: [], accounts: [], keys: [] };
  return { upstreams: [one], ...none, by, dryRun: false };
}

describe.each(databases)("on %s,", (database, openBooks) => {
  let bank: Bank;
  beforeEach(async () => {
    bank = await new Bank(await openBooks()).open();
  });
  afterEach(() => bank.books.close());

  const job = <T>(work: Parameters<typeof bank.books.job<T>>[0]) => bank.books.job(work);
  const apply = (one: UpstreamSpec) => job(tx => applySpec(tx, spec(one)));
  const fieldsOf = async (one: UpstreamSpec) => (await apply(one)).changes.flatMap(({ fields }) => fields);
  const inForce = async () => {
    const { upstreams } = await job(readCatalogue);
    return upstreams.flatMap(({ credentials }) =>
      credentials.map(({ id, sealed }) => [id, Buffer.from(sealed).toString()] as const),
    );
  };
  const texts = async () => (await inForce()).map(([, text]) => text).toSorted();

  test("what is applied is what is there, and who stays keeps its id", async () => {
    await apply(upstream(["a", "b"]));
    const before = new Map((await inForce()).map(([id, text]) => [text, id]));
    expect(await fieldsOf(upstream(["b", "c"]))).toEqual([
      ["api_key", "(as it was)", "(2 keys, 1 of them new)"],
    ]);
    const after = new Map((await inForce()).map(([id, text]) => [text, id]));
    expect([...after.keys()].toSorted()).toEqual(["sealed b", "sealed c"]);
    expect(after.get("sealed b")).toBe(before.get("sealed b") ?? "crd_");
    expect(await fieldsOf(upstream(["c", "b"]))).toEqual([]);
    expect(await fieldsOf(upstream(["c"]))).toEqual([["api_key", "(as it was)", "(1 keys, 0 of them new)"]]);
  });

  test("a file without keys leaves them, and another address asks for them again", async () => {
    await apply(upstream(["a", "b"]));
    expect(await fieldsOf(upstream(null))).toEqual([]);
    expect(await texts()).toEqual(["sealed a", "sealed b"]);
    const moved = { baseUrl: "https://other.example.org/v1" };
    const { problems } = await apply(upstream(null, moved));
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining("give api_key again")]);
    await apply(upstream(["a"], moved));
    expect(await texts()).toEqual(["sealed a"]);
  });

  test("limits are part of what is applied", async () => {
    await apply(upstream(["a"]));
    const fields = await fieldsOf(upstream(null, { concurrencyMax: 7, probeMinutes: 5 }));
    expect(fields).toEqual([
      ["max_concurrency", "", "7"],
      ["probe", "", "5"],
    ]);
    const { upstreams } = await job(readCatalogue);
    expect(upstreams[0]).toMatchObject({ concurrencyMax: 7, probeMinutes: 5, resetAtMs: null });
  });

  test("one more is added and removed by what its id ends with, and both are noticed", async () => {
    const given = upstream(["a"]);
    await apply(given);
    const add = (name: string, baseUrl = BASE_URL) =>
      job(tx => addCredential(tx, { upstreamId: given.id, baseUrl, spec: credential(name), by }));
    const before = await job(revision);
    const added = await add("b");
    expect(await texts()).toEqual(["sealed a", "sealed b"]);
    expect(await job(revision)).toBe(before + 1);
    for (const [name, baseUrl] of [["b"], ["c", "https://elsewhere.example.org/v1"]] as const) {
      expect(await add(name, baseUrl).catch(error => error)).toBeInstanceOf(StoreProblem);
    }
    const remove = (ending: string) => job(tx => removeCredential(tx, { name: "up", ending, by }));
    for (const ending of ["", "nothing", "_"]) {
      expect(await remove(ending).catch(error => error)).toBeInstanceOf(StoreProblem);
    }
    expect(await remove(added.id.slice(-8))).toEqual({ id: added.id, left: 1 });
    expect(await texts()).toEqual(["sealed a"]);
    expect(await job(revision)).toBe(before + 2);
  });

  test("a reset is seen in the catalogue", async () => {
    await apply(upstream(["a"]));
    await job(tx => resetUpstream(tx, { name: "up", by: tester(123) }));
    expect((await job(readCatalogue)).upstreams[0]?.resetAtMs).toBe(123);
    const other = job(tx => resetUpstream(tx, { name: "nobody", by }));
    expect(await other.catch(error => error)).toBeInstanceOf(StoreProblem);
  });

  test("the credential of an older database is moved over, and nothing of it stays where it was", async () => {
    const types = database === "SQLite" ? ["integer", "blob"] : ["bigint", "bytea"];
    const native = (sql: string) =>
      sql.replaceAll("$int", types[0] ?? "").replaceAll("$bytes", types[1] ?? "");
    await job(async tx => {
      for (const table of ["credentials", "upstream_states", "upstream_events"])
        await tx.run(`drop table ${table}`);
      for (const column of ["concurrency_max", "probe_minutes", "reset_at_ms"]) {
        await tx.run(`alter table upstreams drop column ${column}`);
      }
      await tx.run(native("alter table upstreams add column credential $bytes"));
      await tx.run("alter table upstreams add column credential_mark text");
      const insert = `insert into upstreams (id, name, kind, base_url, speaks, credential, credential_mark, priority,
        weight, models) values (?, ?, 'openai', ?, '["chat"]', ?, ?, 0, 1, '[]')`;
      await tx.run(insert, "ups_with", "with", BASE_URL, Buffer.from("sealed"), "mark");
      await tx.run(insert, "ups_without", "without", BASE_URL, null, null);
      for (const statement of credentialTables) await tx.run(native(statement));
    });
    const { upstreams } = await job(readCatalogue);
    expect(upstreams.map(({ name, credentials }) => [name, credentials.map(({ id }) => id)])).toEqual([
      ["with", ["crd_with"]],
      ["without", []],
    ]);
    expect(await texts()).toEqual(["sealed"]);
    const old = bank.rows("select credential from upstreams");
    expect(await old.catch(() => "no such column")).toBe("no such column");
  });
});
