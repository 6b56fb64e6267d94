import { chmodSync, readdirSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Log } from "../domain/log.ts";
import type { ListeningSocket } from "./listening-socket.ts";

/**
 * How the next process takes the port before this one leaves. They speak through a socket file in the data directory:
 * whoever can open it is of the same house, with the same data and the same secret, and nobody else is let onto the port.
 *
 *   successor: join {host, port} ──► holder: lets it listen beside itself, says welcome
 *   successor: listens, steers new connections to itself, says taken ──► holder: goes on with the connections it has
 *   holder, when nothing is left at its door: stops listening, says gone
 */
export type Address = { host: string; port: number };
type Place = { dataDir: string; bootId: string };

const OWNER_ONLY = 0o600;
/** A connection that the kernel had begun for the old listener is finished and taken by then. */
const SETTLE_MS = 2_000;
/** The one asked may itself have taken over only now. */
const ANSWER_MS_MAX = 10_000;
const WORDS_BYTES_MAX = 1_024;

type Word = "join" | "welcome" | "no" | "taken" | "gone";
type Words = { say: Word } & Partial<Address>;

const fileName = (port: number, bootId: string) => `handover-${port}-${bootId}.sock`;

/** What the holder of the port tells its successor with. */
export type HandoverDoor = {
  /** Resolves when a successor has taken the port. */
  taken: Promise<void>;
  /** A successor is on its way in, or we on ours out: the listener must not go yet. */
  isBusy: () => boolean;
  close: () => void;
};

export type DoorOptions = Place & {
  address: Address;
  listening: ListeningSocket;
  /** Resolves when our own predecessor has left the port: three on one are one too many. */
  isAlone: Promise<void>;
  log: Log;
};

export async function openHandoverDoor(options: DoorOptions): Promise<HandoverDoor | null> {
  const { dataDir, bootId, address, log } = options;
  const path = join(dataDir, fileName(address.port, bootId));
  const taken = Promise.withResolvers<void>();
  let successor: Socket | null = null;
  const door: Server = createServer(socket => {
    if (successor !== null) return void socket.end(worded({ say: "no" }));
    successor = socket;
    void handOver(socket, options, () => {
      close();
      taken.resolve();
    }).finally(() => {
      successor = null;
    });
  });
  const close = () => {
    door.close();
    rmSync(path, { force: true });
  };
  try {
    await listen(door, path);
  } catch (error) {
    // The path may be too long for a socket, or its disk may not have such files. Everything else works.
    log("info", "handover.off", { why: error instanceof Error ? error.message : String(error) });
    return null;
  }
  return { taken: taken.promise, isBusy: () => successor !== null, close };
}

function listen(door: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    door.once("error", reject);
    door.listen(path, () => {
      chmodSync(path, OWNER_ONLY);
      door.unref();
      resolve();
    });
  });
}

async function handOver(socket: Socket, options: DoorOptions, onTaken: () => void): Promise<void> {
  const { address, listening, isAlone, log } = options;
  const hear = listener(socket);
  const asked = await hear();
  const isOurs = asked?.say === "join" && asked.host === address.host && asked.port === address.port;
  if (isOurs) await isAlone;
  if (!isOurs || !listening.share(true)) return void socket.end(worded({ say: "no" }));
  socket.write(worded({ say: "welcome" }));
  if ((await hear())?.say !== "taken") {
    // It did not get that far, and the port is ours alone again.
    listening.share(false);
    return void socket.destroy();
  }
  log("info", "server.replaced");
  onTaken();
  await Bun.sleep(SETTLE_MS);
  listening.retire();
  socket.end(worded({ say: "gone" }));
}

/** What a successor needs of the holder of its port. */
export type Holder = {
  /** New connections come to us now. Resolves when the holder has left the port. */
  taken: () => Promise<void>;
  leave: () => void;
};

/** Null where nobody of this house holds the port, or it cannot be shared. */
export async function askHolder(dataDir: string, { host, port }: Address): Promise<Holder | null> {
  const begin = `handover-${port}-`;
  const names = readdirSync(dataDir).filter(name => name.startsWith(begin) && name.endsWith(".sock"));
  for (const name of names) {
    const path = join(dataDir, name);
    const socket = await reach(path);
    if (socket === null) {
      // Left behind by a process that was killed.
      rmSync(path, { force: true });
      continue;
    }
    const hear = listener(socket);
    socket.write(worded({ say: "join", host, port }));
    if ((await hear())?.say === "welcome") {
      const taken = async () => {
        socket.write(worded({ say: "taken" }));
        await hear();
        socket.destroy();
      };
      return { taken, leave: () => void socket.destroy() };
    }
    socket.destroy();
  }
  return null;
}

function reach(path: string): Promise<Socket | null> {
  return new Promise(resolve => {
    const socket = connect(path, () => resolve(socket));
    socket.on("error", () => resolve(null));
  });
}

function worded(words: Words): string {
  return `${JSON.stringify(words)}\n`;
}

/** One line at a time; null where the other is gone, or says nothing in time or nothing of use. */
function listener(socket: Socket): () => Promise<Words | null> {
  let text = "";
  let isOver = false;
  let wake = () => {};
  socket.setEncoding("utf8");
  socket.on("data", (piece: string) => {
    text += piece;
    wake();
  });
  const over = () => {
    isOver = true;
    wake();
  };
  socket.on("error", over);
  socket.on("close", over);
  socket.on("end", over);
  return async () => {
    const timer = setTimeout(over, ANSWER_MS_MAX);
    while (!text.includes("\n") && !isOver && text.length < WORDS_BYTES_MAX) {
      await new Promise<void>(resolve => {
        wake = resolve;
      });
    }
    clearTimeout(timer);
    const [line = "", ...rest] = text.split("\n");
    text = rest.join("\n");
    return rest.length === 0 ? null : read(line);
  };
}

function read(line: string): Words | null {
  try {
    return JSON.parse(line) as Words;
  } catch {
    return null;
  }
}
