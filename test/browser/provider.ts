import { chatCompletion, chatEvent, DONE, mockUpstream, usageOf } from "../harness-upstream.ts";

/** A provider on loopback that lists models and answers them, until it is told to fail. */

export type Provider = {
  baseUrl: string;
  /** The models it was asked to answer with, in order. */
  asked: () => string[];
  /** The keys that came with them. */
  keys: () => string[];
  /** From now on every call is refused so; the list stays. */
  fail: (status: number, said?: string) => void;
  mend: () => void;
  close: () => Promise<void>;
};

const USAGE = usageOf(10, 5);

export async function startProvider(models: readonly string[], answer = "ready indeed"): Promise<Provider> {
  let failure: { status: number; said: string } | null = null;
  const list = JSON.stringify({ object: "list", data: models.map(id => ({ id, object: "model" })) });
  const mock = await mockUpstream(exchange => {
    if (exchange.received.requestLine.startsWith("GET ")) return exchange.reply(200, list);
    if (failure !== null) {
      const { status, said } = failure;
      return exchange.reply(status, JSON.stringify({ error: { message: said } }));
    }
    const { model, stream } = exchange.body;
    if (stream !== true) return exchange.reply(200, chatCompletion(answer, USAGE, String(model)));
    return exchange.stream([
      chatEvent({ content: answer, finish: "stop" }),
      chatEvent({ usage: USAGE }),
      DONE,
    ]);
  });
  const calls = () => mock.received.filter(({ requestLine }) => requestLine.startsWith("POST "));
  return {
    baseUrl: mock.baseUrl,
    asked: () => calls().map(({ body }) => String(JSON.parse(body.toString("utf8")).model)),
    keys: () => calls().map(({ headers }) => (headers.get("authorization") ?? "").replace("Bearer ", "")),
    fail: (status, said = "not now") => {
      failure = { status, said };
    },
    mend: () => {
      failure = null;
    },
    close: mock.close,
  };
}
