import { dlopen, ptr } from "bun:ffi";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/**
 * The socket that the server listens on, as the kernel knows it. Bun has no word for what a hand-over of the port needs,
 * so it is said to the kernel directly. Only on Linux; null elsewhere, and then there are no hand-overs.
 */
export type ListeningSocket = {
  /** Lets a second process of this user listen on the same address. */
  share: (isShared: boolean) => boolean;
  /** Of two that listen, only the second gets new connections from now on. */
  steerToSecond: () => boolean;
  /** Stops listening and leaves everything else of the server as it is. */
  retire: () => boolean;
  /** Connections that clients still have with this process. */
  connections: () => number;
};

const LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];
const SOL_SOCKET = 1;
const SO_REUSEPORT = 15;
const SO_ATTACH_REUSEPORT_CBPF = 51;
const AF_INET = 2;
const SOCK_STREAM = 1;
const CLOSE_ON_EXEC = 0o2000000;
const ESTABLISHED = "01";
const LISTENING = "0A";

export function listeningSocket(port: number): ListeningSocket | null {
  const kernel = process.platform === "linux" ? loadKernel() : null;
  const fds = kernel === null ? [] : socketsOn(port, LISTENING);
  const [fd] = fds;
  if (kernel === null || fd === undefined || fds.length > 1) return null;
  return {
    share: isShared => kernel.setOption(fd, SO_REUSEPORT, new Int32Array([isShared ? 1 : 0])),
    steerToSecond: () => kernel.setOption(fd, SO_ATTACH_REUSEPORT_CBPF, alwaysSecond()),
    retire: () => kernel.replaceByIdle(fd),
    connections: () => socketsOn(port, ESTABLISHED).length,
  };
}

type Kernel = {
  setOption: (fd: number, option: number, value: Int32Array | Uint8Array) => boolean;
  replaceByIdle: (fd: number) => boolean;
};

function loadKernel(): Kernel | null {
  for (const library of LIBRARIES) {
    try {
      const { symbols } = dlopen(library, {
        setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
        socket: { args: ["i32", "i32", "i32"], returns: "i32" },
        dup3: { args: ["i32", "i32", "i32"], returns: "i32" },
        close: { args: ["i32"], returns: "i32" },
      });
      return {
        setOption: (fd, option, value) =>
          symbols.setsockopt(fd, SOL_SOCKET, option, value, value.byteLength) === 0,
        // The server closes the number at its end, so something of ours has to be behind it until then.
        replaceByIdle: fd => {
          const idle = symbols.socket(AF_INET, SOCK_STREAM | CLOSE_ON_EXEC, 0);
          if (idle < 0) return false;
          const isReplaced = symbols.dup3(idle, fd, CLOSE_ON_EXEC) === fd;
          symbols.close(idle);
          return isReplaced;
        },
      };
    } catch {
      // The next name may be the one of this system's C library.
    }
  }
  return null;
}

/** Kept while the kernel reads it. */
const RETURN_ONE = new Uint8Array([0x06, 0, 0, 0, 1, 0, 0, 0]);

/**
 * A filter of one instruction, “return 1”: the kernel takes what it returns as the place of the socket among those that
 * share the address, and chooses as ever where nobody has that place.
 */
function alwaysSecond(): Uint8Array {
  const program = new Uint8Array(16);
  const view = new DataView(program.buffer);
  view.setUint16(0, 1, true);
  view.setBigUint64(8, BigInt(ptr(RETURN_ONE)), true);
  return program;
}

/** This process's own sockets on a local port that are in one state. */
function socketsOn(port: number, state: string): number[] {
  try {
    const inodes = new Set([...inodesOn("tcp", port, state), ...inodesOn("tcp6", port, state)]);
    return readdirSync("/proc/self/fd")
      .map(Number)
      .filter(fd => inodes.has(inodeOf(fd)));
  } catch {
    return [];
  }
}

function inodesOn(table: "tcp" | "tcp6", port: number, state: string): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const rows = readTable(table).split("\n").slice(1);
  return rows.flatMap(row => {
    const [, local = "", , rowState, , , , , , inode] = row.trim().split(/\s+/);
    return rowState === state && local.endsWith(`:${hex}`) && inode !== undefined ? [inode] : [];
  });
}

/** A machine without IPv6 has no such table. */
function readTable(table: string): string {
  try {
    return readFileSync(`/proc/self/net/${table}`, "utf8");
  } catch {
    return "";
  }
}

function inodeOf(fd: number): string {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${fd}`))?.[1] ?? "";
  } catch {
    return "";
  }
}
