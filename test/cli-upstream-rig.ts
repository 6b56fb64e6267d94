import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { type CliRig, cliRig, type Ran } from "./cli-rig.ts";
import {
  chatEvent,
  DONE,
  type MockUpstream,
  mockUpstream,
  type Script,
  type UpstreamExchange,
} from "./harness-upstream.ts";

/** A key that must appear nowhere but in what the upstream receives. */
export const CANARY = "sk-canary-0123456789abcdefghij";
export const env = { THE_KEY: CANARY };

export type UpstreamRig = CliRig & {
  upstream: MockUpstream;
  dataDir: string;
  /** Connects the mock upstream by the name “mine”, with the key. */
  add: (...more: string[]) => Promise<Ran>;
  /** All that are saved, as they are listed in JSON. */
  saved: () => Promise<(Record<string, unknown> & { models: unknown[] })[]>;
  /** One sentence, exit 1, and nothing saved. */
  expectRefused: (ran: Promise<Ran>, sentence: RegExp) => Promise<void>;
  end: () => Promise<void>;
};

export async function upstreamRig(): Promise<UpstreamRig> {
  const rig = cliRig();
  const upstream = await mockUpstream(listing("alpha", "beta"));
  const dataDir = join(rig.dir, "data");
  const add = (...more: string[]) => {
    const given = ["upstream", "add", "mine", "--kind", "openai-compatible", "--base-url", upstream.baseUrl];
    return rig.run([...given, "--api-key-env", "THE_KEY", ...more], { env });
  };
  const saved = async () =>
    existsSync(dataDir) ? JSON.parse((await rig.run(["upstream", "list", "--json"])).out) : [];
  const expectRefused = async (ran: Promise<Ran>, sentence: RegExp) => {
    const { code, out, err } = await ran;
    expect(err).toMatch(sentence);
    expect([code, out]).toEqual([1, ""]);
    expect(err.trim().split("\n")).toHaveLength(1);
    expect(err).not.toContain(CANARY);
    expect(await saved()).toEqual([]);
  };
  const end = async () => {
    rig.dispose();
    await upstream.close();
  };
  return { ...rig, upstream, dataDir, add, saved, expectRefused, end };
}

export function list(...ids: string[]): string {
  return JSON.stringify({ object: "list", data: ids.map(id => ({ id, object: "model" })) });
}

/** Lists models, and answers a call with a few words. */
export function listing(...ids: string[]): Script {
  return (exchange: UpstreamExchange) => {
    if (exchange.received.requestLine.startsWith("GET ")) return exchange.reply(200, list(...ids));
    return exchange.stream([
      chatEvent({ content: "ready" }),
      chatEvent({ content: " indeed", finish: "stop" }),
      DONE,
    ]);
  };
}

/** A raw server on loopback. */
export function plainServer(onConnection: (socket: Socket) => void) {
  return listening(
    createServer(socket => {
      socket.on("error", () => {});
      onConnection(socket);
    }),
  );
}

export async function listening(server: Server) {
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { port, close: () => new Promise(resolve => server.close(resolve)) };
}
