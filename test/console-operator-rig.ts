import { Database } from "bun:sqlite";
import { join } from "node:path";
import { SQL } from "bun";
import { dropDatabase, freshDatabase } from "../src/store/postgres/server-test-rig.ts";
import { Browser, type ConsoleRig, changeDatabase, type Given, startConsole } from "./console-rig.ts";
import { applyYaml, freshDir, setEnvironment } from "./harness.ts";

/** The operator's console on either database, over a model that answers by itself. */

export const DATABASES = ["SQLite", "PostgreSQL"] as const;
export type DatabaseName = (typeof DATABASES)[number];

const CATALOGUE = JSON.stringify({
  upstreams: [{ name: "own demo", kind: "demo", models: ["m"] }],
  models: [{ name: "m", price: { input: 1, output: 2 } }],
  groups: [
    { name: "all", models: ["m"] },
    { name: "members", models: ["m"], billing: "subscription" },
  ],
  plans: [
    { name: "small", groups: ["members"], quota: 5, window: "month" },
    { name: "large", groups: ["members"], quota: 50, window: "month" },
  ],
});

export type OperatorRig = ConsoleRig & {
  /** Beside the running server, as time or somebody with a grudge would. */
  change: (sql: string, ...params: (string | number)[]) => Promise<void>;
  idOf: (email: string) => Promise<string>;
  /** By name. */
  planIds: () => Promise<Map<string, string>>;
};

export async function startOperator(
  database: DatabaseName,
  env: Record<string, string> = {},
): Promise<OperatorRig> {
  const dir = freshDir();
  const url = database === "PostgreSQL" ? await freshDatabase() : null;
  if (url !== null) setEnvironment(dir, { DATABASE_URL: url });
  await applyYaml(dir, CATALOGUE);
  const rig = await startConsole({ WICKETGATE_DEMO: "off", ...env }, dir);
  return {
    ...rig,
    planIds: async () => {
      const found = await read(dir, url, "select id, name from plans");
      return new Map(found.map(row => [String(row["name"]), String(row["id"])]));
    },
    change: async (sql, ...params) => {
      if (url === null) changeDatabase(dir, sql, ...params);
      else await changePostgres(url, sql, params);
    },
    idOf: async email => {
      const { accounts } = await rig.operator.call("GET /operator/accounts");
      const found = accounts.find(one => one.email === email);
      if (found === undefined) throw new Error(`there is no account ${email}`);
      return found.id;
    },
    dispose: async () => {
      await rig.dispose();
      if (url !== null) await dropDatabase(url);
    },
  };
}

type Row = Record<string, unknown>;

async function read(dir: string, url: string | null, sql: string): Promise<Row[]> {
  if (url === null) {
    const db = new Database(join(dir, "wicketgate.db"), { readonly: true });
    const rows = db.query<Row, []>(sql).all();
    db.close();
    return rows;
  }
  const db = new SQL(url, { max: 1 });
  const rows: Row[] = await db.unsafe(sql);
  await db.close();
  return rows;
}

async function changePostgres(url: string, sql: string, params: (string | number)[]): Promise<void> {
  const db = new SQL(url, { max: 1 });
  let place = 0;
  const numbered = sql.replace(/\?/g, () => {
    place += 1;
    return `$${place}`;
  });
  await db.unsafe(numbered, params);
  await db.close();
}

/** A program with an operator token: no cookie, no origin. */
export class Program extends Browser {
  readonly #token: string;

  constructor(root: string, token: string) {
    super(root);
    this.#token = token;
  }

  override send(...[name, given]: Parameters<Browser["send"]>): Promise<Response> {
    const { headers, ...rest } = (given ?? {}) as Given<typeof name>;
    const bearer = { authorization: `Bearer ${this.#token}`, origin: "https://elsewhere.example" };
    return super.send(name, { ...rest, headers: { ...bearer, ...headers } } as Given<typeof name>);
  }
}
