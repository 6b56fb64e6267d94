import { createServer, type Server, type Socket } from "node:net";

/** A scriptable upstream on loopback. It records what it received byte for byte and answers what it is told to. */

export type Received = { requestLine: string; headers: ReadonlyMap<string, string>; body: Buffer };

export type Script = (exchange: UpstreamExchange) => void | Promise<void>;

export type MockUpstream = {
  /** Base address as an operator would enter it. */
  baseUrl: string;
  received: Received[];
  exchanges: UpstreamExchange[];
  /** How many connections were closed by the gateway before their answer was whole. */
  aborts: () => number;
  /** What the next requests are answered with. */
  script: (script: Script) => void;
  close: () => Promise<void>;
};

/** One request and the answer to it, written to the socket as is. */
export class UpstreamExchange {
  readonly received: Received;
  readonly #socket: Socket;
  readonly #onDone: () => void;
  #done = false;
  /** When the gateway closed the connection, on the performance clock; null while it has not. */
  closedTick: number | null = null;
  aborted = false;
  bytesSent = 0;

  constructor(received: Received, socket: Socket, onDone: () => void) {
    this.received = received;
    this.#socket = socket;
    this.#onDone = onDone;
    socket.once("close", () => {
      this.closedTick = performance.now();
      if (!this.#done) this.aborted = true;
    });
  }

  get body(): Record<string, unknown> {
    return JSON.parse(this.received.body.toString("utf8")) as Record<string, unknown>;
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && this.closedTick === null;
  }

  /** Resolves when the socket has taken the bytes, or is gone. */
  write(bytes: string | Uint8Array): Promise<void> {
    if (!this.isOpen) return Promise.resolve();
    const size = typeof bytes === "string" ? Buffer.byteLength(bytes) : bytes.length;
    return new Promise(resolve => {
      const taken = () => {
        this.#socket.off("close", taken);
        resolve();
      };
      this.#socket.once("close", taken);
      this.#socket.write(bytes, error => {
        if (!error) this.bytesSent += size;
        taken();
      });
    });
  }

  /** A whole answer with its length. */
  async reply(status: number, body: string | Uint8Array, headers: Record<string, string> = {}) {
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    const all = { "content-type": "application/json", "content-length": String(bytes.length), ...headers };
    await this.write(Buffer.concat([Buffer.from(head(status, all)), bytes]));
    this.finish();
  }

  async begin(headers: Record<string, string> = {}): Promise<void> {
    const all = { "content-type": "text/event-stream", "transfer-encoding": "chunked", ...headers };
    await this.write(head(200, all));
  }

  /** One piece of a chunked answer. */
  piece(bytes: string | Uint8Array): Promise<void> {
    const data = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
    if (data.length === 0) return Promise.resolve();
    return this.write(Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, CRLF]));
  }

  async end(): Promise<void> {
    await this.write("0\r\n\r\n");
    this.finish();
  }

  async stream(pieces: readonly (string | Uint8Array)[], headers: Record<string, string> = {}) {
    await this.begin(headers);
    for (const piece of pieces) await this.piece(piece);
    await this.end();
  }

  /** Says nothing more and closes the connection, as a crashing upstream does. */
  cut(): void {
    this.#done = true;
    this.#socket.destroy();
  }

  /** The same without a good word: what is under way is lost, and the peer is told so. */
  reset(): void {
    this.#done = true;
    this.#socket.resetAndDestroy();
  }

  /** Writes as fast as it is read, until the gateway goes. */
  async firehose(event: Uint8Array): Promise<void> {
    await this.begin();
    while (this.isOpen) await this.piece(event);
  }

  finish(): void {
    if (this.#done) return;
    this.#done = true;
    this.#onDone();
  }
}

const CRLF = Buffer.from("\r\n");

function head(status: number, headers: Record<string, string>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} Whatever\r\n${lines.join("\r\n")}\r\n\r\n`;
}

export async function mockUpstream(first: Script = () => {}): Promise<MockUpstream> {
  const received: Received[] = [];
  const exchanges: UpstreamExchange[] = [];
  const sockets = new Set<Socket>();
  let script = first;

  const server: Server = createServer(socket => {
    sockets.add(socket);
    socket.setNoDelay(true);
    // Every exchange of a kept connection listens for its end.
    socket.setMaxListeners(0);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    let data = Buffer.alloc(0);
    let busy = false;
    const next = () => {
      const read = busy ? null : readRequest(data);
      if (read === null) return;
      data = data.subarray(read.size);
      busy = true;
      received.push(read.request);
      const exchange = new UpstreamExchange(read.request, socket, () => {
        busy = false;
        next();
      });
      exchanges.push(exchange);
      Promise.resolve(script(exchange)).catch(() => socket.destroy());
    };
    socket.on("data", piece => {
      data = Buffer.concat([data, typeof piece === "string" ? Buffer.from(piece) : piece]);
      next();
    });
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    received,
    exchanges,
    aborts: () => exchanges.filter(({ aborted }) => aborted).length,
    script: given => {
      script = given;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
}

function readRequest(data: Buffer): { request: Received; size: number } | null {
  const headEnd = data.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const [requestLine = "", ...lines] = data.toString("latin1", 0, headEnd).split("\r\n");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const at = line.indexOf(":");
    headers.set(line.slice(0, at).toLowerCase(), line.slice(at + 1).trim());
  }
  const size = headEnd + 4 + Number(headers.get("content-length") ?? 0);
  if (data.length < size) return null;
  return { request: { requestLine, headers, body: Buffer.from(data.subarray(headEnd + 4, size)) }, size };
}

export type ChunkParts = { content?: string; model?: string; usage?: unknown; finish?: string | null };

/** One event of a chat stream, as OpenAI frames it. */
export function chatEvent({ content, model = "mock", usage, finish = null }: ChunkParts): string {
  const isUsage = content === undefined && finish === null;
  const choices = isUsage
    ? []
    : [{ index: 0, delta: content === undefined ? {} : { content }, finish_reason: finish }];
  const chunk = {
    id: "chatcmpl-mock",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model,
    choices,
  };
  return `data: ${JSON.stringify(usage === undefined ? chunk : { ...chunk, usage })}\n\n`;
}

export const DONE = "data: [DONE]\n\n";

export function chatCompletion(content: string, usage: unknown, model = "mock"): string {
  const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
  const whole = { id: "chatcmpl-mock", object: "chat.completion", created: 1_700_000_000, model, choices };
  return JSON.stringify(usage === undefined ? whole : { ...whole, usage });
}

export function usageOf(prompt: number, completion: number) {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}
