import type { Socket } from "bun";

/**
 * The upstream behind both proxies, as its own process: `bun bench/mock-upstream.ts PORT [DELAY_MS]`, where the delay
 * is that of whole answers. It is written on the bare socket, so that it takes little of the machine, and so that each chunk of a stream is one write of its own.
 */
const CHUNKS_PER_STREAM = 100;
const TICK_MS = 1;
const DELAY_MS = Number(Bun.argv[3] ?? 0);
/** A stream is written to at every second tick; odd and even streams take turns, so that they do not come in one burst. */
const TICKS_BETWEEN_CHUNKS = 2;

type Connection = { unread: Buffer | null };
/** How a stream of one dialect is written: its head with the first events, a chunk with room for the time, its end. */
type Script = { head: Buffer; chunk: Buffer; stampAt: number; end: Buffer };
type Stream = { socket: Socket<Connection>; sent: number; phase: number; script: Script };

const common = { id: "chatcmpl-bench", created: 1, model: "bench-model", system_fingerprint: "fp_bench" };
const usage = (output: number) => ({
  prompt_tokens: 12,
  completion_tokens: output,
  total_tokens: 12 + output,
});

const plainAnswer = json({
  ...common,
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "Hello there, this is an answer." },
      finish_reason: "stop",
    },
  ],
  usage: usage(8),
});
const modelList = json({
  object: "list",
  data: [{ id: common.model, object: "model", created: 1, owned_by: "bench" }],
});

const streamHead = Buffer.from(
  "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n",
);
/** Each chunk says when it was written, in microseconds, so that a reader can tell how long it was on its way. */
const noStamp = "0".repeat(16);

function script({ first = "", chunk, last }: { first?: string; chunk: string; last: string }): Script {
  const written = httpChunk(chunk);
  return {
    head: first === "" ? streamHead : Buffer.concat([streamHead, httpChunk(first)]),
    chunk: written,
    stampAt: written.indexOf(noStamp),
    end: Buffer.concat([httpChunk(last), Buffer.from("0\r\n\r\n")]),
  };
}

const chatChunk = chatEvent([{ index: 0, delta: { content: noStamp }, logprobs: null, finish_reason: null }]);
const lastChoice = chatEvent([{ index: 0, delta: {}, logprobs: null, finish_reason: "stop" }]);
const usageEvent = chatEvent([], usage(CHUNKS_PER_STREAM));
const done = "data: [DONE]\n\n";
const text = { type: "text", text: "" };
const counted = { input_tokens: 12, output_tokens: CHUNKS_PER_STREAM };
const message = { id: "msg_bench", type: "message", role: "assistant", model: "bench-model", content: [] };
const scripts = {
  chat: script({ chunk: chatChunk, last: lastChoice + done }),
  chatWithUsage: script({ chunk: chatChunk, last: lastChoice + usageEvent + done }),
  messages: script({
    first:
      event("message_start", { message: { ...message, usage: { input_tokens: 12, output_tokens: 1 } } }) +
      event("content_block_start", { index: 0, content_block: text }),
    chunk: event("content_block_delta", { index: 0, delta: { type: "text_delta", text: noStamp } }),
    last:
      event("content_block_stop", { index: 0 }) +
      event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: counted }) +
      event("message_stop", {}),
  }),
};

const streams = new Set<Stream>();
let tick = 0;
let started = 0;

setInterval(() => {
  if (streams.size === 0) return;
  tick += 1;
  const now = stamp();
  for (const { chunk, stampAt } of Object.values(scripts)) chunk.write(now, stampAt, "latin1");
  for (const stream of streams) if ((tick + stream.phase) % TICKS_BETWEEN_CHUNKS === 0) advance(stream);
}, TICK_MS);

function advance(stream: Stream): void {
  if (stream.sent === CHUNKS_PER_STREAM) {
    streams.delete(stream);
    write(stream.socket, stream.script.end);
    return;
  }
  stream.sent += 1;
  write(stream.socket, stream.script.chunk);
}

function stamp(): string {
  return Math.round((performance.timeOrigin + performance.now()) * 1000).toString();
}

function answer(socket: Socket<Connection>, { head, body }: { head: string; body: string }): void {
  const isStream = /"stream":\s*true/.test(body);
  if (!isStream) {
    const whole = head.startsWith("POST ") ? plainAnswer : modelList;
    if (DELAY_MS === 0) write(socket, whole);
    else setTimeout(() => write(socket, whole), DELAY_MS);
    return;
  }
  const script = scriptFor(head, body);
  write(socket, script.head);
  started += 1;
  streams.add({ socket, sent: 0, phase: started % TICKS_BETWEEN_CHUNKS, script });
}

function scriptFor(head: string, body: string): Script {
  if (head.startsWith("POST /v1/messages ")) return scripts.messages;
  return /"include_usage":\s*true/.test(body) ? scripts.chatWithUsage : scripts.chat;
}

/** A reader that lets the socket's buffer fill up is cut, which fails the run: nothing here is that large. */
function write(socket: Socket<Connection>, bytes: Buffer): void {
  if (socket.write(bytes) < bytes.length) socket.terminate();
}

function receive(socket: Socket<Connection>, bytes: Buffer): void {
  const unread = socket.data.unread === null ? bytes : Buffer.concat([socket.data.unread, bytes]);
  const headEnd = unread.indexOf("\r\n\r\n");
  const head = headEnd < 0 ? "" : unread.toString("latin1", 0, headEnd);
  const bodyBytes = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  if (headEnd < 0 || unread.length < headEnd + 4 + bodyBytes) {
    socket.data.unread = Buffer.from(unread);
    return;
  }
  socket.data.unread = null;
  answer(socket, { head, body: unread.toString("latin1", headEnd + 4) });
}

function forget(socket: Socket<Connection>): void {
  for (const stream of streams) if (stream.socket === socket) streams.delete(stream);
}

function json(value: object): Buffer {
  const body = JSON.stringify(value);
  return Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

function event(type: string, fields: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function chatEvent(choices: readonly object[], used?: object): string {
  const value = {
    ...common,
    object: "chat.completion.chunk",
    choices,
    ...(used === undefined ? {} : { usage: used }),
  };
  return `data: ${JSON.stringify(value)}\n\n`;
}

function httpChunk(text: string): Buffer {
  return Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`);
}

Bun.listen<Connection>({
  hostname: "127.0.0.1",
  port: Number(Bun.argv[2]),
  socket: {
    open(socket) {
      socket.data = { unread: null };
      socket.setNoDelay(true);
    },
    data: receive,
    close: forget,
    error: forget,
  },
});
