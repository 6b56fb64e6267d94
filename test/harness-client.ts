import { connect, type Socket } from "node:net";

/** Clients as plain as can be: what they see is what came over the wire. */

export type Refused = {
  message: string;
  type: string;
  code: string | null;
  param: string | null;
  reason: string;
  cause: string;
  remedy: string;
  request_id: string;
};

export type ChatAnswer = {
  status: number;
  headers: Headers;
  requestId: string;
  text: string;
  error: Refused | null;
};

export type ChatAsk = {
  key: string;
  body: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

export function chatBody(model: string, more: Record<string, unknown> = {}) {
  return { model, messages: [{ role: "user", content: "Hello" }], ...more };
}

export function askChat(base: string, { key, body, headers = {}, signal }: ChatAsk): Promise<Response> {
  return fetch(`${base}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
    redirect: "manual",
    signal: signal ?? AbortSignal.timeout(30_000),
  });
}

export async function chat(base: string, ask: ChatAsk): Promise<ChatAnswer> {
  return answerOf(await askChat(base, ask));
}

export async function answerOf(response: Response): Promise<ChatAnswer> {
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    requestId: response.headers.get("x-request-id") ?? "",
    text,
    error: response.ok ? null : errorOf(text),
  };
}

export function errorOf(text: string): Refused | null {
  try {
    const body = JSON.parse(text) as { error?: Refused };
    return body.error ?? null;
  } catch {
    return null;
  }
}

export type StreamSeen = {
  status: number;
  requestId: string;
  text: () => string;
  /** Resolves when so many bytes, or the end, have been seen. */
  bytes: (count: number) => Promise<void>;
  /** Resolves at the end, however it came; true where the connection was closed properly. */
  ended: Promise<boolean>;
  leave: () => void;
};

/** Reads a stream as it comes. */
export async function openStream(base: string, ask: ChatAsk): Promise<StreamSeen> {
  const control = new AbortController();
  const response = await askChat(base, { ...ask, signal: control.signal });
  const parts: Uint8Array[] = [];
  let size = 0;
  let over = false;
  let wake = Promise.withResolvers<void>();
  const read = async () => {
    try {
      for await (const piece of response.body ?? []) {
        parts.push(piece);
        size += piece.length;
        wake.resolve();
        wake = Promise.withResolvers();
      }
      return true;
    } catch {
      return false;
    } finally {
      over = true;
      wake.resolve();
    }
  };
  return {
    status: response.status,
    requestId: response.headers.get("x-request-id") ?? "",
    text: () => Buffer.concat(parts).toString("utf8"),
    bytes: async count => {
      while (size < count && !over) await wake.promise;
    },
    ended: read(),
    leave: () => control.abort(),
  };
}

/** The data of each event, in order. */
export function eventData(text: string): string[] {
  const events = text.split(/\r?\n\r?\n/).filter(event => event.startsWith("data:"));
  return events.map(event => event.slice(5).trimStart());
}

/** The error that ended a stream in its dialect's own way; null where it ended otherwise. */
export function streamError(text: string): Refused | null {
  const last = eventData(text).at(-1);
  return last === undefined ? null : errorOf(last);
}

export function chatHead(url: string, key: string, body: string): string {
  const length = Buffer.byteLength(body);
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`;
}

/** A connection that writes what it is given; with `stalled` it never reads more than the first piece. */
export function rawConnection(url: string, bytes: string | Uint8Array): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(bytes);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}

/** Sends bytes as they are and gives all that came back until the peer closed or `msMax` passed. */
export async function rawExchange(url: string, bytes: string | Uint8Array, msMax = 3_000): Promise<string> {
  const socket = await rawConnection(url, bytes);
  let text = "";
  return new Promise(resolve => {
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(finish, msMax);
    socket.on("data", piece => {
      text += piece.toString("latin1");
    });
    socket.on("error", finish);
    socket.on("close", finish);
  });
}
