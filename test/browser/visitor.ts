import type { BrowserContext } from "@playwright/test";
import type { Api, Name } from "../../src/console/contract/contract.ts";

/** Somebody at the console's API without a browser, to prepare what the browser then finds. */

type Given<N extends Name> = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Api[N]["body"];
};

const COOKIE = "__Host-wicketgate";

export class Visitor {
  readonly root: string;
  /** Where they come from, as a proxy says it. */
  readonly address: string;
  email = "";
  /** What it calls itself. */
  agent = "visitor";
  #cookie = "";

  constructor(root: string, address: string) {
    this.root = root;
    this.address = address;
  }

  async send<N extends Name>(name: N, given: Given<N> = {}): Promise<Response> {
    const [method = "", path = ""] = name.split(" ");
    const { params = {}, query = {}, body } = given;
    const filled = path.replace(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param] ?? ""));
    const url = new URL(`${this.root}/console/api${filled}`);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const hasBody = method === "POST" || method === "PATCH";
    const answer = await fetch(url, {
      method,
      headers: {
        "x-forwarded-for": this.address,
        "user-agent": this.agent,
        ...(method === "GET" ? {} : { origin: this.root }),
        ...(hasBody ? { "content-type": "application/json" } : {}),
        ...(this.#cookie === "" ? {} : { cookie: `${COOKIE}=${this.#cookie}` }),
      },
      ...(hasBody ? { body: JSON.stringify(body ?? {}) } : {}),
    });
    for (const line of answer.headers.getSetCookie()) {
      const found = new RegExp(`^${COOKIE}=([^;]*)`).exec(line);
      if (found !== null) this.#cookie = found[1] ?? "";
    }
    return answer;
  }

  /** What must succeed. */
  async call<N extends Name>(name: N, given: Given<N> = {}): Promise<Api[N]["answer"]> {
    const answer = await this.send(name, given);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${name} was answered ${answer.status}: ${text}`);
    return JSON.parse(text) as Api[N]["answer"];
  }

  async makeKey(name: string, group?: string): Promise<Api["POST /keys"]["answer"]> {
    const { groups } = await this.call("GET /groups");
    const found = groups.find(one => group === undefined || one.name === group);
    if (found === undefined) throw new Error(`there is no group ${group ?? ""} for ${this.email}`);
    return this.call("POST /keys", { body: { name, group: found.id } });
  }

  /** Gives the session to a browser, which is then signed in. */
  async enter(context: BrowserContext, root = this.root): Promise<void> {
    await context.addCookies([
      {
        name: COOKIE,
        value: this.#cookie,
        domain: new URL(root).hostname,
        path: "/",
        httpOnly: true,
        secure: true,
        sameSite: "Strict",
      },
    ]);
  }
}

export type Ask = { model: string; text?: string; agent?: string; tokensMax?: number };

/** A chat request as a client sends it. */
export function askModel(
  root: string,
  key: string,
  { model, text, agent, tokensMax }: Ask,
): Promise<Response> {
  return fetch(`${root}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "user-agent": agent ?? "curl/8.5.0",
    },
    body: JSON.stringify({
      model,
      messages: [{ role: "user", content: text ?? "Hello!" }],
      ...(tokensMax === undefined ? {} : { max_tokens: tokensMax }),
    }),
  });
}
