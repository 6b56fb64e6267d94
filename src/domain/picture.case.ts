/** Pictures as their first bytes make them; none has a body worth decoding. */

export function png(width: number, height: number, bytes = 64): Uint8Array {
  const made = Buffer.alloc(bytes);
  made.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]);
  made.write("IHDR", 12, "latin1");
  made.writeUInt32BE(width, 16);
  made.writeUInt32BE(height, 20);
  return new Uint8Array(made);
}

export function jpeg(width: number, height: number): Uint8Array {
  const made = Buffer.alloc(64);
  // A segment of the application first, as cameras write it, and a fill byte before the frame.
  made.set([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
  made.set([0xff, 0xff, 0xc2, 0, 17, 8], 20);
  made.writeUInt16BE(height, 26);
  made.writeUInt16BE(width, 28);
  return new Uint8Array(made);
}

export function webp(kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Uint8Array {
  const made = Buffer.alloc(64);
  made.write("RIFF", 0, "latin1");
  made.write(`WEBP${kind}`, 8, "latin1");
  if (kind === "VP8 ") {
    made.set([0x9d, 0x01, 0x2a], 23);
    made.writeUInt16LE(width, 26);
    made.writeUInt16LE(height, 28);
  } else if (kind === "VP8L") {
    made[20] = 0x2f;
    made.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  } else {
    made.writeUIntLE(width - 1, 24, 3);
    made.writeUIntLE(height - 1, 27, 3);
  }
  return new Uint8Array(made);
}

export function dataUrl(bytes: Uint8Array, type = "image/png"): string {
  return `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
}
