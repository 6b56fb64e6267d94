import type { Socket } from "bun";
import { MODEL } from "./gateway.ts";
import { CHAT_PATH } from "./load.ts";
import type { Target } from "./targets.ts";

/**
 * Requests at a steady pace, whatever the answers do, each timed from when it was due: a server that falls behind
 * cannot hide it by being asked less.
 */
export type Pace = { target: Target; key: string; perSecond: number; seconds: number };

/** When a request was due, by the clock of the day, and what it took from then on. */
export type Timed = { dueMs: number; ms: number };

type Connection = { head: string; bodyBytes: number; dueMs: number };

const GRACE_MS = 5_000;

export async function pace({ target, key, perSecond, seconds }: Pace): Promise<Timed[]> {
  const request = requestText(target, key);
  const idle: Socket<Connection>[] = [];
  const times: Timed[] = [];
  const total = Math.round(perSecond * seconds);
  const done = Promise.withResolvers<void>();
  const send = (socket: Socket<Connection>, dueMs: number) => {
    socket.data = { head: "", bodyBytes: 0, dueMs };
    socket.write(request);
  };
  const receive = (socket: Socket<Connection>, bytes: Buffer) => {
    if (!isWhole(socket.data, bytes, target.name)) return;
    const { dueMs } = socket.data;
    times.push({ dueMs: performance.timeOrigin + dueMs, ms: performance.now() - dueMs });
    idle.push(socket);
    if (times.length === total) done.resolve();
  };
  const open = (dueMs: number) => connect(target, { send, receive, fail: done.reject, dueMs });

  const beginMs = performance.now();
  let sent = 0;
  const clock = setInterval(() => {
    const due = Math.min(total, Math.floor(((performance.now() - beginMs) * perSecond) / 1_000));
    for (; sent < due; sent += 1) {
      const dueMs = beginMs + (sent * 1_000) / perSecond;
      const socket = idle.pop();
      if (socket === undefined) open(dueMs);
      else send(socket, dueMs);
    }
  }, 1);
  const late = setTimeout(
    () => done.reject(new Error(`${target.name} left ${total - times.length} requests unanswered`)),
    seconds * 1_000 + GRACE_MS,
  );
  try {
    await done.promise;
    return times;
  } finally {
    clearInterval(clock);
    clearTimeout(late);
    for (const socket of idle) socket.end();
  }
}

type Wiring = {
  send: (socket: Socket<Connection>, dueMs: number) => void;
  receive: (socket: Socket<Connection>, bytes: Buffer) => void;
  fail: (error: Error) => void;
  dueMs: number;
};

function connect(target: Target, { send, receive, fail, dueMs }: Wiring): void {
  const { hostname, port } = new URL(target.root);
  const socket = {
    open: (opened: Socket<Connection>) => {
      opened.setNoDelay(true);
      send(opened, dueMs);
    },
    data: receive,
    error: (_: Socket<Connection>, error: Error) => fail(error),
  };
  Bun.connect<Connection>({ hostname, port: Number(port), socket }).catch(fail);
}

/** Answers here are short: a head, a length, a body. */
function isWhole(connection: Connection, bytes: Buffer, name: string): boolean {
  connection.head += bytes.toString("latin1");
  const end = connection.head.indexOf("\r\n\r\n");
  if (end < 0) return false;
  if (!connection.head.startsWith("HTTP/1.1 200")) {
    throw new Error(`${name} answered: ${connection.head.slice(0, 300)}`);
  }
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(connection.head)?.[1] ?? Number.NaN);
  return connection.head.length >= end + 4 + length;
}

function requestText(target: Target, key: string): string {
  const body = JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "Say hello, please." }] });
  const { host } = new URL(target.root);
  const head = [`POST ${CHAT_PATH} HTTP/1.1`, `host: ${host}`, "content-type: application/json"];
  return [...head, `authorization: Bearer ${key}`, `content-length: ${body.length}`, "", body].join("\r\n");
}
