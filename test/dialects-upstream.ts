import type { Dialect } from "../src/domain/usage.ts";
import { type DemoPath, demoExchange } from "../src/upstream/demo.ts";
import { type MockUpstream, mockUpstream, type UpstreamExchange } from "./harness-upstream.ts";

/** The demo behind a real connection, in every dialect: what it was sent and what it said can be looked at. */

export type Heard = { dialect: Dialect; path: DemoPath; body: Record<string, unknown>; said: string };

export type DialectUpstream = {
  mock: MockUpstream;
  /** All requests, oldest first. */
  heard: Heard[];
  /** The last of them that was for this model. */
  last: (model: string) => Heard;
};

const PATHS: readonly [string, DemoPath][] = [
  ["/chat/completions", "chat"],
  ["/responses", "responses"],
  ["/messages/count_tokens", "count_tokens"],
  ["/messages", "messages"],
];

const CLOCK = { nowMs: () => Date.now() };

export async function dialectUpstream(): Promise<DialectUpstream> {
  const heard: Heard[] = [];
  const mock = await mockUpstream(exchange => playDemo(exchange, heard));
  const last = (model: string) => {
    const found = heard.findLast(({ body }) => body["model"] === model);
    if (found === undefined) throw new Error(`the upstream was never asked for ${model}`);
    return found;
  };
  return { mock, heard, last };
}

export async function playDemo(exchange: UpstreamExchange, heard: Heard[]): Promise<void> {
  const { body, received } = exchange;
  const path = PATHS.find(([ending]) => received.requestLine.split(" ")[1]?.endsWith(ending))?.[1] ?? "chat";
  const entry: Heard = {
    dialect: path === "count_tokens" ? "messages" : (path as Dialect),
    path,
    body,
    said: "",
  };
  heard.push(entry);
  const model = String(body["model"]);
  const { answer } = demoExchange({ body: received.body, model, path }, CLOCK);
  const { status, headers, read } = await answer;
  const isStream = headers.get("content-type") === "text/event-stream";
  if (isStream) await exchange.begin();
  await new Promise<void>(resolve => {
    read({
      onBytes: bytes => {
        entry.said += Buffer.from(bytes).toString("utf8");
        if (isStream) void exchange.piece(bytes);
      },
      onEnd: () => resolve(isStream ? exchange.end() : exchange.reply(status, entry.said)),
      onFailure: () => resolve(exchange.cut()),
    });
  });
}
