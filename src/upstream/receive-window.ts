import { dlopen } from "bun:ffi";

/**
 * Caps what the kernel receives ahead of us on one connection. Without it the kernel's buffer grows to
 * megabytes, and Bun hands over half a megabyte in one read: a stalled stream would then hold that much.
 * Where it cannot be set (another system, no FFI) the connection works all the same, with larger reads.
 */
export function limitReceiveWindow(socket: object, receiveWindowBytes: number): void {
  // `fd` is there at run time; Bun's types do not list it.
  if (!("fd" in socket) || typeof socket.fd !== "number" || socket.fd < 0) return;
  setReceiveBuffer ??= loadSetReceiveBuffer();
  setReceiveBuffer(socket.fd, Math.max(receiveWindowBytes, receiveWindowBytesMin));
}

/**
 * With less, an upstream on the same machine, whose segments are up to 64 KiB, can stall on the probe timer
 * of TCP. Measured with writes of 4 KiB: 0.13 MB/s at 16 KiB, 1040 MB/s at 32 KiB.
 */
const receiveWindowBytesMin = 32_768;

type SetReceiveBuffer = (fd: number, bytes: number) => void;

let setReceiveBuffer: SetReceiveBuffer | null = null;

const platforms: Partial<Record<string, { libraries: string[]; level: number; option: number }>> = {
  linux: {
    libraries: ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"],
    level: 1,
    option: 8,
  },
  darwin: { libraries: ["libSystem.B.dylib"], level: 0xffff, option: 0x1002 },
};

function loadSetReceiveBuffer(): SetReceiveBuffer {
  const platform = platforms[process.platform];
  for (const library of platform?.libraries ?? []) {
    try {
      const { symbols } = dlopen(library, {
        setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
      });
      const value = new Int32Array(1);
      return (fd, bytes) => {
        value[0] = bytes;
        symbols.setsockopt(fd, platform?.level ?? 0, platform?.option ?? 0, value, value.byteLength);
      };
    } catch {
      // The next name may be the one of this system's C library.
    }
  }
  return () => undefined;
}
