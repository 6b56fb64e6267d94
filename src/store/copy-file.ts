import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import { notACopy } from "./copy-format.ts";
import { StoreProblem } from "./store.ts";

/**
 * The file around a copy's text: one zstd stream between two skippable frames, which zstd's own tools pass over. The
 * first says what it is; the last is the SHA-256 of every byte before it, for compressed data alone has bits that may
 * be altered without anybody noticing.
 */
const OWNER_ONLY = 0o600;
const PIECE_BYTES = 256 * 1024;
const SHA256_BYTES = 32;
const HEAD = skippable(Buffer.from("wicketgate copy\n"));
const SEAL_MARK = skippable(Buffer.from("wicketgate seal\n"), SHA256_BYTES);
const SEAL_BYTES = SEAL_MARK.length + SHA256_BYTES;

function skippable(payload: Uint8Array, moreBytes = 0): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a50, 0);
  head.writeUInt32LE(payload.length + moreBytes, 4);
  return Buffer.concat([head, payload]);
}

/** Writes a new file, for its owner alone, and gives its size once it is on the disk. */
export async function writeCopyFile(path: string, text: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, "wx", OWNER_ONLY);
  try {
    const hash = createHash("sha256");
    let bytes = 0;
    const put = async (piece: Uint8Array) => {
      await writeWhole(file, piece);
      bytes += piece.length;
    };
    const putHashed = async (piece: Uint8Array) => {
      hash.update(piece);
      await put(piece);
    };
    await putHashed(HEAD);
    await pipeline(Readable.from(text), createZstdCompress(), async (packed: AsyncIterable<Uint8Array>) => {
      for await (const piece of packed) await putHashed(piece);
    });
    await put(Buffer.concat([SEAL_MARK, hash.digest()]));
    await file.sync();
    return bytes;
  } finally {
    await file.close();
  }
}

async function writeWhole(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let done = 0; done < piece.length; ) {
    done += (await file.write(piece, done, piece.length - done)).bytesWritten;
  }
}

/** A copy's file, held open, so that what is checked is what is loaded. */
export class CopyFile {
  readonly #file: FileHandle;
  readonly bytes: number;

  private constructor(file: FileHandle, bytes: number) {
    this.#file = file;
    this.bytes = bytes;
  }

  static async open(path: string): Promise<CopyFile> {
    const file = await open(path, "r");
    const stat = await file.stat();
    if (stat.isFile()) return new CopyFile(file, stat.size);
    await file.close();
    throw notACopy();
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Throws where a single byte is not the one that was written. */
  async checkSeal(): Promise<void> {
    const head = await this.#read(0, Math.min(HEAD.length, this.bytes));
    if (!HEAD.subarray(0, head.length).equals(head)) throw notACopy();
    const end = this.bytes - SEAL_BYTES;
    const seal = end < HEAD.length ? Buffer.alloc(0) : await this.#read(end, SEAL_BYTES);
    if (!seal.subarray(0, SEAL_MARK.length).equals(SEAL_MARK)) throw await this.#endProblem();
    const hash = createHash("sha256");
    for await (const piece of this.#pieces(0, end)) hash.update(piece);
    if (!hash.digest().equals(seal.subarray(SEAL_MARK.length))) {
      throw new StoreProblem(
        "This copy was altered or damaged: its SHA-256 is not that of what was written.",
      );
    }
  }

  /** The text, unpacked piece by piece. `onRead` is told how far into the file it is. */
  async *text(onRead: (bytes: number) => void = () => {}): AsyncGenerator<Uint8Array> {
    const unpack = createZstdDecompress({ chunkSize: PIECE_BYTES });
    const packed = Readable.from(this.#pieces(HEAD.length, this.bytes - SEAL_BYTES));
    // What goes wrong in it comes out of the loop below, too.
    pipeline(packed, unpack).catch(() => {});
    try {
      for await (const piece of unpack) {
        onRead(HEAD.length + unpack.bytesWritten);
        yield piece;
      }
    } finally {
      unpack.destroy();
    }
  }

  async *#pieces(from: number, to: number): AsyncGenerator<Buffer> {
    for (let at = from; at < to; ) {
      const piece = await this.#read(at, Math.min(PIECE_BYTES, to - at));
      if (piece.length === 0) throw new StoreProblem("This copy became shorter while it was read.");
      yield piece;
      at += piece.length;
    }
  }

  async #read(at: number, bytes: number): Promise<Buffer> {
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await this.#file.read(buffer, 0, bytes, at);
    return buffer.subarray(0, bytesRead);
  }

  /** A seal further up means that something follows it; none, or half of one, that the end is missing. */
  async #endProblem(): Promise<StoreProblem> {
    let kept: Buffer = Buffer.alloc(0);
    let at = 0;
    for await (const piece of this.#pieces(0, this.bytes)) {
      const seen = Buffer.concat([kept, piece]);
      const found = seen.indexOf(SEAL_MARK);
      const extra = this.bytes - (at - kept.length + found + SEAL_BYTES);
      if (found >= 0 && extra > 0) {
        return new StoreProblem(`This copy is followed by ${extra} bytes that do not belong to it.`);
      }
      kept = Buffer.from(seen.subarray(Math.max(0, seen.length - SEAL_MARK.length)));
      at += piece.length;
    }
    return new StoreProblem("This copy is cut off, or its end was altered: what closes a copy is missing.");
  }
}
