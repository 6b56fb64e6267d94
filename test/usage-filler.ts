import { openPool } from "../src/store/postgres/connect.ts";
import { inTransaction, migrate as migratePostgres } from "../src/store/postgres/database.ts";
import { migrate as migrateSqlite, openDatabase, transactionOf } from "../src/store/sqlite/database.ts";
import type { SqlValue, Tx } from "../src/store/tx.ts";
import { rollDay } from "../src/store/usage-roll.ts";
import {
  type FilledPage,
  type FilledTable,
  filledPages,
  house,
  USAGE_COLUMNS,
} from "../src/store/usage-rows-test-rig.ts";
import { QUANTITIES } from "../src/store/usage-sums.ts";

/** `bun test/usage-filler.ts PLACE ROWS`: fills a new database, a file or a PostgreSQL by its address, with a long log. */

const [place = "", wanted = "5000000"] = process.argv.slice(2);
const PAGE_ROWS = 20_000;
const STATEMENT_MS_MAX = 600_000;
const NOW_MS = Math.floor(Date.now() / 3_600_000) * 3_600_000;
const count = Number(wanted);
/** Made anew at the end, which costs less than keeping them up. */
const DROP_INDEXES = ["drop index usage_of_key", "drop index usage_of_series"];
const LATE_INDEXES = [
  "create index usage_of_key on usage (key_id, id)",
  "create index usage_of_series on usage (series, id) where series is not null",
];

type Insert = (tx: Tx, table: FilledTable & { suffix?: string }) => Promise<void>;
type Filler = {
  write: (work: (tx: Tx) => Promise<void>) => Promise<void>;
  insert: Insert;
  end: () => Promise<void>;
};

function sqlite(): Filler {
  const db = openDatabase(place, false);
  db.run("pragma synchronous = off");
  db.run("pragma cache_size = -400000");
  migrateSqlite(db);
  return {
    write: async work => {
      db.run("begin immediate");
      await work(transactionOf(db));
      db.run("commit");
    },
    insert: async (_, { table, columns, rows, suffix = "" }) => {
      const marks = columns.map(() => "?").join(", ");
      const one = db.query(`insert into ${table} (${columns.join(", ")}) values (${marks}) ${suffix}`);
      for (const row of rows) one.run(...row);
    },
    end: async () => {
      db.run("pragma wal_checkpoint(truncate)");
      db.close();
    },
  };
}

async function postgres(): Promise<Filler> {
  const pool = openPool({ url: place, connectionsMax: 1, statementMsMax: STATEMENT_MS_MAX });
  await migratePostgres(pool);
  const types = new Map<string, string>();
  const read = `select table_name || '.' || column_name as name, data_type::text as type from information_schema.columns`;
  await inTransaction(pool, {
    mode: "read",
    work: async tx => {
      for (const row of await tx.all(read)) types.set(String(row["name"]), String(row["type"]));
    },
  });
  return {
    write: work => inTransaction(pool, { mode: "batch", statementMsMax: STATEMENT_MS_MAX, work }),
    insert: async (tx, { table, columns, rows, suffix = "" }) => {
      if (rows.length === 0) return;
      const typed = columns.map(
        column => `jsonb_array_elements_text(?::text::jsonb)::${types.get(`${table}.${column}`)}`,
      );
      const lists = columns.map((_, at) => JSON.stringify(rows.map(row => plain(row[at] ?? null))));
      await tx.run(
        `insert into ${table} (${columns.join(", ")}) select ${typed.join(", ")} ${suffix}`,
        ...lists,
      );
    },
    end: async () => {
      const connection = await pool.reserve({ statementMsMax: STATEMENT_MS_MAX });
      await connection.script("vacuum analyze");
      await connection.release();
      await pool.close();
    },
  };
}

function plain(value: SqlValue): SqlValue {
  return typeof value === "bigint" ? String(value) : value;
}

async function save(tx: Tx, insert: Insert, { rows, book }: FilledPage): Promise<void> {
  await insert(tx, { table: "usage", columns: USAGE_COLUMNS, rows });
  await insert(tx, {
    table: "usage_series",
    columns: ["id", "account_id", "key_id", "model", "tool", "upstream", "outcome", "reason"],
    rows: [...book.series.values()].map(one => [
      ...[one.id, one.accountId, one.keyId, one.model, one.tool, one.upstream, one.outcome, one.reason],
    ]),
    suffix: "on conflict (id) do nothing",
  });
  const added = QUANTITIES.map(name => `${name} = usage_sums.${name} + excluded.${name}`).join(", ");
  await insert(tx, {
    table: "usage_sums",
    columns: ["series", "span", "start_ms", ...QUANTITIES],
    rows: book
      .sums()
      .map(one => [
        ...[one.series, one.span, one.startMs, one.requests, one.input, one.cacheRead, one.cacheWrite],
        ...[one.output, one.reasoning, one.cost, one.ourCost],
      ]),
    suffix: `on conflict (series, span, start_ms) do update set ${added}`,
  });
  const days = [...book.days].map(day => [day, 0]);
  const suffix = "on conflict (start_ms) do nothing";
  await insert(tx, { table: "usage_days", columns: ["start_ms", "is_rolled"], rows: days, suffix });
}

async function fill(filler: Filler): Promise<void> {
  await filler.write(async tx => {
    for (const sql of DROP_INDEXES) await tx.run(sql);
    for (const table of house(NOW_MS)) await filler.insert(tx, table);
  });
  for (const page of filledPages({ count, nowMs: NOW_MS, pageRows: PAGE_ROWS }))
    await filler.write(tx => save(tx, filler.insert, page));
  await filler.write(async tx => {
    for (const sql of LATE_INDEXES) await tx.run(sql);
  });
  for (let isDone = false; !isDone; ) {
    await filler.write(async tx => {
      isDone = (await rollDay(tx, { nowMs: NOW_MS })).dayMs === null;
    });
  }
  await filler.end();
}

const begin = performance.now();
await fill(place.startsWith("postgres") ? await postgres() : sqlite());
process.stdout.write(`${count} rows in ${((performance.now() - begin) / 1_000).toFixed(0)} s\n`);
