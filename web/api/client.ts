import type { Api, Name } from "../../src/console/contract/contract.ts";
import { ApiError, readProblem } from "./api-error.ts";

/** The types of the console's API, from the one contract; nothing of it is in the bundle. */
export type { Api, Name };
export type Answer<N extends Name> = Api[N]["answer"];
export type Query<N extends Name> = Api[N]["query"];
export type Body<N extends Name> = Api[N]["body"];

type Nothing = Record<never, never>;

type Part<K extends string, V> = [V] extends [undefined]
  ? { [P in K]?: never }
  : Nothing extends V
    ? { [P in K]?: V }
    : { [P in K]: V };

export type Given<N extends Name> = Part<"params", Api[N]["params"]> &
  Part<"query", Api[N]["query"]> &
  Part<"body", Api[N]["body"]> & { signal?: AbortSignal };

/** Nothing has to be given where everything may be left out. */
export type Rest<N extends Name> = Nothing extends Given<N> ? [given?: Given<N>] : [given: Given<N>];

export type Call = <N extends Name>(name: N, ...rest: Rest<N>) => Promise<Answer<N>>;

type Loose = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  signal?: AbortSignal;
};

export type ClientParts = {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  isOnline: () => boolean;
  /** The session is over: whoever draws the page decides what to show. */
  onSignedOut: () => void;
  /** Asks whoever is there to prove it again; false where they will not. */
  confirmIdentity: () => Promise<boolean>;
};

export const API_ROOT = "/console/api";

/** The address of an endpoint, for links and downloads too. */
export function addressOf(name: Name, given: Pick<Loose, "params" | "query"> = {}): string {
  const path = name.slice(name.indexOf(" ") + 1);
  const filled = path.replace(/\{(\w+)\}/g, (_, param: string) =>
    encodeURIComponent(given.params?.[param] ?? ""),
  );
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(given.query ?? {})) {
    if (value !== undefined && value !== null && value !== "") query.set(key, String(value));
  }
  const text = query.toString();
  return `${API_ROOT}${filled}${text === "" ? "" : `?${text}`}`;
}

function requestOf(name: Name, { body, signal }: Loose): RequestInit {
  const method = name.slice(0, name.indexOf(" "));
  const headers: Record<string, string> = { accept: "application/json" };
  const init: RequestInit = { method, headers, credentials: "same-origin", cache: "no-store" };
  if (signal !== undefined) init.signal = signal;
  if (method === "POST" || method === "PATCH") {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(body ?? {});
  }
  return init;
}

async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text();
  let body: unknown = null;
  try {
    body = text === "" ? null : JSON.parse(text);
  } catch {
    if (response.ok) throw new ApiError({ code: "failed", message: "The answer is not what was expected." });
  }
  if (!response.ok) throw readProblem(response.status, body);
  return body;
}

export function createClient(parts: ClientParts): Call {
  const once = async (name: Name, given: Loose): Promise<unknown> => {
    try {
      return await readAnswer(await parts.fetch(addressOf(name, given), requestOf(name, given)));
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (given.signal?.aborted) throw error;
      const code = parts.isOnline() ? "lost" : "offline";
      throw new ApiError({ code, message: "The server could not be reached." });
    }
  };
  let asking: Promise<boolean> | null = null;
  /** Calls that need it at the same moment ask once. */
  const confirm = async (): Promise<boolean> => {
    asking ??= parts.confirmIdentity().finally(() => {
      asking = null;
    });
    return await asking;
  };
  const call = async (name: Name, given: Loose = {}): Promise<unknown> => {
    try {
      return await once(name, given);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === "not_signed_in") parts.onSignedOut();
      if (error.code !== "recent_sign_in_needed" || !(await confirm())) throw error;
      return await once(name, given);
    }
  };
  return call as Call;
}
