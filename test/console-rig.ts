import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { z } from "zod";
import { type Api, endpoints, type Name } from "../src/console/contract/contract.ts";
import type { Endpoint } from "../src/console/contract/endpoint.ts";
import { problem } from "../src/console/contract/form.ts";
import { type Environment, freshDir, type Gateway, removeDir, startGateway } from "./harness.ts";

/** The console as browsers see it: a cookie jar, the right origin, and every answer checked against its form. */

export const PASSWORD = "a quiet wicket in the wall";
export const OPERATOR = "operator@example.org";

type Optional<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] };
export type Given<N extends Name> = Partial<Optional<Pick<Api[N], "params" | "query" | "body">>> & {
  headers?: Record<string, string>;
};
type Answer<N extends Name> = Api[N]["answer"];
export type Problem = z.output<typeof problem>["error"];
export type Refused = { status: number; error: Problem; headers: Headers };

export class Browser {
  readonly root: string;
  readonly cookies = new Map<string, string>();

  constructor(root: string) {
    this.root = root;
  }

  /** The bare answer; cookies are kept. */
  async send<N extends Name>(name: N, given: Given<N> = {}): Promise<Response> {
    const [method = "", path = ""] = name.split(" ");
    const {
      params = {},
      query = {},
      body,
      headers = {},
    } = given as {
      params?: Record<string, string>;
      query?: Record<string, unknown>;
      body?: unknown;
      headers?: Record<string, string>;
    };
    const filled = path.replace(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param] ?? ""));
    const url = new URL(`${this.root}/console/api${filled}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, String(value));
    const endpoint: Endpoint = endpoints[name];
    const sent = endpoint.body === undefined ? undefined : JSON.stringify(body ?? {});
    const answer = await fetch(url, {
      method,
      redirect: "manual",
      headers: {
        ...(method === "GET" ? {} : { origin: this.root }),
        ...(sent === undefined ? {} : { "content-type": "application/json" }),
        ...(this.cookies.size === 0 ? {} : { cookie: this.cookieText() }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    });
    this.#keep(answer);
    return answer;
  }

  /** Goes to an address of the console, as after a redirect from elsewhere. */
  async open(url: string): Promise<Response> {
    const headers = this.cookies.size === 0 ? {} : { cookie: this.cookieText() };
    const answer = await fetch(url, { redirect: "manual", headers });
    this.#keep(answer);
    return answer;
  }

  /** What must succeed, checked against the contract's form. */
  async call<N extends Name>(name: N, given: Given<N> = {}): Promise<Answer<N>> {
    const answer = await this.send(name, given);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${name} was answered ${answer.status}: ${text}`);
    const endpoint: Endpoint = endpoints[name];
    if (endpoint.answer === null) return null as Answer<N>;
    return endpoint.answer.parse(JSON.parse(text)) as Answer<N>;
  }

  /** What must be refused, in the form of every refusal. */
  async refused<N extends Name>(name: N, given: Given<N> = {}): Promise<Refused> {
    const answer = await this.send(name, given);
    const text = await answer.text();
    if (answer.status < 400) throw new Error(`${name} was answered ${answer.status}: ${text}`);
    const { error } = problem.parse(JSON.parse(text));
    return { status: answer.status, error, headers: answer.headers };
  }

  async signIn(email: string, password: string = PASSWORD): Promise<void> {
    const step = await this.call("POST /sign-in", { body: { email, password } });
    if (step.next !== "done") throw new Error(`signing in as ${email} asks for ${step.next}`);
  }

  /** Uses a set-up, invitation or reset link. */
  async enterBy(link: string, chosen: { email?: string; password?: string } = {}): Promise<void> {
    const { password = PASSWORD, email } = chosen;
    const body = { token: tokenOf(link), password, ...(email === undefined ? {} : { email }) };
    await this.call("POST /links/use", { body });
  }

  cookieText(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(answer: Response): void {
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
      if (/max-age=0/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
  }
}

export function tokenOf(link: string): string {
  return new URL(link).hash.slice(1);
}

export type ConsoleRig = {
  gateway: Gateway;
  dir: string;
  root: string;
  /** A browser in which nobody is signed in. */
  browser: () => Browser;
  /** Signed in as the first operator, who came by the set-up link. */
  operator: Browser;
  /** Invites somebody, who comes and is signed in. */
  invited: (
    email: string,
    invitation?: { role?: "holder" | "operator"; balance_usd?: string },
  ) => Promise<Browser>;
  /** Lets the quarter of an hour after a sign-in pass, for every session. SQLite only. */
  letProofsAge: () => void;
  dispose: () => Promise<void>;
};

/** The real server on a database of its own, with its first operator. */
export async function startConsole(env: Environment = {}, dir: string = freshDir()): Promise<ConsoleRig> {
  const gateway = await startGateway(dir, env);
  const root = gateway.url;
  const browser = () => new Browser(root);
  const operator = browser();
  await operator.enterBy(gateway.setupLink ?? "", { email: OPERATOR });
  return {
    gateway,
    dir,
    root,
    browser,
    operator,
    invited: async (email, { role = "holder", balance_usd = "10" } = {}) => {
      const { link } = await operator.call("POST /operator/invitations", {
        body: { email, role, balance_usd },
      });
      const guest = browser();
      await guest.enterBy(link);
      return guest;
    },
    letProofsAge: () => changeDatabase(dir, "update sessions set proved_at_ms = proved_at_ms - 1000000"),
    dispose: async () => {
      await gateway.stop();
      removeDir(dir);
    },
  };
}

/** Beside the running server, as time would. */
export function changeDatabase(dir: string, sql: string, ...params: (string | number)[]): void {
  const db = new Database(join(dir, "wicketgate.db"));
  db.run("pragma busy_timeout = 5000");
  db.run(sql, params);
  db.close();
}

/** Lets the quarter of an hour after a sign-in pass for one account; a negative time takes it back. SQLite only. */
export function letProofAge(dir: string, email: string, byMs = 1_000_000): void {
  const sql = `update sessions set proved_at_ms = proved_at_ms - ?
    where account_id = (select id from accounts where email = ?)`;
  changeDatabase(dir, sql, byMs, email);
}
