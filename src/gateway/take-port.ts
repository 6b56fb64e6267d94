import type { Server } from "bun";
import type { Log } from "../domain/log.ts";
import { type Address, askHolder, type HandoverDoor, type Holder, openHandoverDoor } from "./handover.ts";
import { listeningSocket } from "./listening-socket.ts";

export type TakePort = Address & {
  dataDir: string;
  bootId: string;
  log: Log;
  /** Throws where the port is not free; shared, only where nobody else lets us. */
  open: (isShared: boolean) => Server<undefined>;
};

export type Port = {
  server: Server<undefined>;
  /** Resolves when another process of this house has taken the port. */
  replaced: Promise<void>;
  /** Nobody is lost if it is closed now; kept connections count only where their next request would be served. */
  isQuiet: () => boolean;
  close: () => Promise<void>;
};

const CLOSE_MS_MAX = 2_000;
const never = new Promise<void>(() => undefined);

/** Listens; where a process of the same house does so already, takes the port over without a gap. */
export async function takePort(options: TakePort): Promise<Port> {
  const { host, dataDir, bootId, log } = options;
  const { server, isAlone } = await openOrTakeOver(options);
  const address = { host, port: server.port ?? options.port };
  const listening = listeningSocket(address.port);
  const door =
    listening === null ? null : await openHandoverDoor({ dataDir, bootId, address, listening, isAlone, log });
  let isReplaced = false;
  const replaced = door?.taken.then(() => {
    isReplaced = true;
  });
  return {
    server,
    replaced: replaced ?? never,
    isQuiet: () => {
      if (server.pendingRequests > 0 || door?.isBusy() === true) return false;
      return !isReplaced || listening?.connections() === 0;
    },
    close: () => close(server, door),
  };
}

type Opened = { server: Server<undefined>; isAlone: Promise<void> };

async function openOrTakeOver(options: TakePort): Promise<Opened> {
  try {
    return { server: options.open(false), isAlone: Promise.resolve() };
  } catch (error) {
    const isTaken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    const holder = isTaken ? await askHolder(options.dataDir, options) : null;
    if (holder === null) throw error;
    const server = beside(holder, options);
    if (server === null) throw error;
    options.log("info", "server.takes_over");
    return { server, isAlone: holder.taken() };
  }
}

/** Without the kernel's help some connections would be lost, so without it there is no take-over. */
function beside(holder: Holder, { open, port }: TakePort): Server<undefined> | null {
  try {
    const server = open(true);
    if (listeningSocket(port)?.steerToSecond() === true) return server;
    void server.stop(true);
  } catch {
    // It let us in and did not mean it: the first error says what is the matter.
  }
  holder.leave();
  return null;
}

async function close(server: Server<undefined>, door: HandoverDoor | null): Promise<void> {
  door?.close();
  const tooLong = Promise.withResolvers<void>();
  const timer = setTimeout(tooLong.resolve, CLOSE_MS_MAX);
  await Promise.race([server.stop(), tooLong.promise]);
  clearTimeout(timer);
  await server.stop(true);
}
