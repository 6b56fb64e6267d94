import { connect, createServer, type Socket } from "node:net";
import { wellAs } from "./failover-rig.ts";
import { chatCompletion, chatEvent, mockUpstream, type UpstreamExchange } from "./harness-upstream.ts";

/** An upstream with a bad day: a share of its connections is closed at once, and a share of its answers is no good. */

export type FlakyUpstream = {
  baseUrl: string;
  /** How often each fault was played. */
  counts: () => Record<string, number>;
  close: () => Promise<void>;
};

/** Of all that it is asked: the first is drawn for the connection, the others of what is left. */
const CONNECTS = 0.2;
const BROKEN = 0.1;
const CUT = 0.05;
const GARBAGE = 0.05;

const CLOSES = { connection: "close" };

export async function flakyUpstream(name: string, random: () => number): Promise<FlakyUpstream> {
  const counts: Record<string, number> = {};
  const count = (fault: string) => {
    counts[fault] = (counts[fault] ?? 0) + 1;
  };
  const well = wellAs(name, CLOSES);
  const behind = await mockUpstream(exchange => {
    const draw = random() * (1 - CONNECTS);
    if (draw < BROKEN) return playStatus(exchange, count);
    if (draw < BROKEN + CUT) return playCut(exchange, count);
    if (draw < BROKEN + CUT + GARBAGE) return playGarbage(exchange, { random, count });
    count("well");
    return well(exchange);
  });
  const door = await doorTo(Number(new URL(behind.baseUrl).port), () => {
    const isClosed = random() < CONNECTS;
    if (isClosed) count("connect");
    return !isClosed;
  });
  return {
    baseUrl: `http://127.0.0.1:${door.port}/v1`,
    counts: () => counts,
    close: async () => {
      await door.close();
      await behind.close();
    },
  };
}

type Count = (fault: string) => void;

function playStatus(exchange: UpstreamExchange, count: Count) {
  count("5xx");
  return exchange.reply(500, '{"error":{"message":"internal"}}', CLOSES);
}

async function playCut(exchange: UpstreamExchange, count: Count): Promise<void> {
  count("cut");
  if (exchange.body["stream"] === true) {
    await exchange.begin();
    await exchange.piece(chatEvent({ content: "This is " }));
  } else {
    const whole = chatCompletion("This is cut.", undefined);
    const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${whole.length}\r\n\r\n`;
    await exchange.write(head + whole.slice(0, 80));
  }
  await Bun.sleep(5);
  exchange.cut();
}

type Garbage = { random: () => number; count: Count };

async function playGarbage(exchange: UpstreamExchange, { random, count }: Garbage): Promise<void> {
  count("garbage");
  const draw = Math.floor(random() * 3);
  if (draw === 0)
    return exchange.reply(200, "<html>Sign in</html>", { "content-type": "text/html", ...CLOSES });
  if (draw === 1) return exchange.reply(200, '{"choices":[{"mess', CLOSES);
  await exchange.write("\u0007\u0008 is no HTTP\r\n\r\n");
  exchange.cut();
}

/** Each connection is let in or closed at once. One that was let in takes one request, so that many are made. */
async function doorTo(port: number, letsIn: () => boolean) {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  };
  let closed = 0;
  const server = createServer(socket => {
    keep(socket);
    if (!letsIn()) {
      closed += 1;
      if (closed % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
      return;
    }
    const inner = connect({ host: "127.0.0.1", port });
    keep(inner);
    socket.pipe(inner);
    inner.pipe(socket);
    socket.on("close", () => inner.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
}
