import { CHAT_PATH, requestBody } from "./load.ts";
import type { Target } from "./targets.ts";

const PROBE_MS_MAX = 20_000;

/** What one stream, read from the bare socket, tells that wrk does not. */
export type StreamProbe = {
  /**
   * In how many HTTP chunks it came: a proxy that falls behind reads several chunks at once and writes them as one,
   * which would make its work per stream look smaller than it is.
   */
  pieces: number;
  /** Of the whole answer, head included. */
  bytes: number;
  firstByteMs: number;
  /** From the mock's write to our read, by two clocks: only the difference between two targets means something. */
  chunkMs: readonly number[];
};

type Probe = { target: Target; key: string };
type Arrival = { atMs: number; text: string };

/** One request of each kind must come back whole before anything is measured. Gives how many were sent. */
export async function probeOnce({ target, key }: Probe): Promise<number> {
  const answer = await fetch(target.root + CHAT_PATH, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: requestBody("non-streaming"),
  });
  const text = await answer.text();
  if (answer.status !== 200 || !text.includes('"usage"')) {
    throw new Error(`${target.name} answered ${answer.status} to the first request: ${text.slice(0, 500)}`);
  }
  await probeStream({ target, key });
  return 2;
}

export async function probeStream({ target, key }: Probe): Promise<StreamProbe> {
  const startMs = nowMs();
  const arrivals = await exchange(target, request({ target, key }));
  const text = arrivals.map(arrival => arrival.text).join("");
  if (!text.startsWith("HTTP/1.1 200 ") || !text.includes("data: [DONE]")) {
    throw new Error(`${target.name} did not answer with a whole stream: ${text.slice(0, 500)}`);
  }
  return {
    pieces: countChunks(text.slice(text.indexOf("\r\n\r\n") + 4)),
    bytes: text.length,
    firstByteMs: (arrivals[0]?.atMs ?? Number.NaN) - startMs,
    chunkMs: arrivals.flatMap(({ atMs, text }) => stampsMs(text).map(writtenMs => atMs - writtenMs)),
  };
}

function request({ target, key }: Probe): string {
  const body = requestBody("streaming");
  const { host } = new URL(target.root);
  const head = [`POST ${CHAT_PATH} HTTP/1.1`, `host: ${host}`, "content-type: application/json"];
  return [...head, `authorization: Bearer ${key}`, `content-length: ${body.length}`, "", body].join("\r\n");
}

function exchange(target: Target, sent: string): Promise<readonly Arrival[]> {
  const { hostname, port } = new URL(target.root);
  const { promise, resolve, reject } = Promise.withResolvers<readonly Arrival[]>();
  const arrivals: Arrival[] = [];
  let received = "";
  const giveUp = () => reject(new Error(`${target.name} did not end a stream: ${received.slice(0, 500)}`));
  const late = setTimeout(giveUp, PROBE_MS_MAX);
  const connected = Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: socket => {
        socket.write(sent);
      },
      data: (socket, bytes) => {
        const text = bytes.toString("latin1");
        arrivals.push({ atMs: nowMs(), text });
        received += text;
        if (received.endsWith("\r\n0\r\n\r\n")) socket.end();
      },
      close: () => resolve(arrivals),
      error: (_socket, error) => reject(error),
    },
  });
  connected.catch(reject);
  return promise.finally(() => clearTimeout(late));
}

function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** The mock writes the time into each chunk, in microseconds. */
function stampsMs(text: string): number[] {
  return [...text.matchAll(/"content":"(\d{16})"/g)].map(match => Number(match[1]) / 1000);
}

function countChunks(body: string): number {
  let chunks = 0;
  let at = 0;
  for (;;) {
    const sizeEnd = body.indexOf("\r\n", at);
    const size = Number.parseInt(body.slice(at, sizeEnd), 16);
    if (sizeEnd < 0 || !(size > 0)) return chunks;
    chunks += 1;
    at = sizeEnd + 2 + size + 2;
  }
}
