import { createHash } from "node:crypto";

/** The house's own picture, known by its bytes: what it says of itself is not believed. */

export const LOGO_BYTES_MAX = 64 * 1024;
export const LOGO_SIDE_MAX = 1024;

const DATA_URL = /^data:image\/(?:png|jpeg|webp);base64,([A-Za-z0-9+/]+={0,2})$/;
const HASH_CHARACTERS = 16;

export type LogoType = "image/png" | "image/jpeg" | "image/webp";
export type Logo = {
  type: LogoType;
  bytes: Uint8Array;
  width: number;
  height: number;
  /** Of the bytes, so that an address with it never changes its meaning. */
  hash: string;
};

type Found = Pick<Logo, "type" | "width" | "height">;

export function readLogo(dataUrl: string): { logo: Logo } | { problem: string } {
  const [, base64] = DATA_URL.exec(dataUrl) ?? [];
  if (base64 === undefined) {
    return { problem: "must be a PNG, JPEG or WebP picture, as a data URL in base64" };
  }
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  if (bytes.length > LOGO_BYTES_MAX) {
    return { problem: `must be at most ${LOGO_BYTES_MAX / 1024} KB; this picture has ${kilobytes(bytes)}` };
  }
  const found = pngSize(bytes) ?? jpegSize(bytes) ?? webpSize(bytes);
  if (found === null) return { problem: "must be a PNG, JPEG or WebP picture, and these bytes are not one" };
  const { width, height } = found;
  if (width < 1 || height < 1 || width > LOGO_SIDE_MAX || height > LOGO_SIDE_MAX) {
    return {
      problem: `must have at most ${LOGO_SIDE_MAX} pixels a side; this picture has ${width} × ${height}`,
    };
  }
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, HASH_CHARACTERS);
  return { logo: { ...found, bytes, hash } };
}

function kilobytes(bytes: Uint8Array): string {
  return `${Math.ceil(bytes.length / 1024)} KB`;
}

function begins(bytes: Uint8Array, at: number, ...wanted: readonly number[]): boolean {
  return wanted.every((byte, place) => bytes[at + place] === byte);
}

function ascii(bytes: Uint8Array, at: number, word: string): boolean {
  return begins(bytes, at, ...Buffer.from(word, "latin1"));
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const PNG_HEAD_BYTES = 33;

function pngSize(bytes: Uint8Array): Found | null {
  const isPng = begins(bytes, 0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) && ascii(bytes, 12, "IHDR");
  if (!isPng || bytes.length < PNG_HEAD_BYTES) return null;
  return { type: "image/png", width: view(bytes).getUint32(16), height: view(bytes).getUint32(20) };
}

/** What has a length behind its mark; the size stands in the first that begins a frame. */
function jpegSize(bytes: Uint8Array): Found | null {
  if (!begins(bytes, 0, 0xff, 0xd8, 0xff)) return null;
  const data = view(bytes);
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const mark = bytes[at + 1] ?? 0;
    if (mark === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = mark >= 0xc0 && mark <= 0xcf && mark !== 0xc4 && mark !== 0xc8 && mark !== 0xcc;
    if (isFrame) return { type: "image/jpeg", height: data.getUint16(at + 5), width: data.getUint16(at + 7) };
    const length = data.getUint16(at + 2);
    if (length < 2) return null;
    at += 2 + length;
  }
  return null;
}

const WEBP_HEAD_BYTES = 30;

function webpSize(bytes: Uint8Array): Found | null {
  if (!ascii(bytes, 0, "RIFF") || !ascii(bytes, 8, "WEBP") || bytes.length < WEBP_HEAD_BYTES) return null;
  const data = view(bytes);
  const type = "image/webp";
  if (ascii(bytes, 12, "VP8 ") && begins(bytes, 23, 0x9d, 0x01, 0x2a)) {
    return { type, width: data.getUint16(26, true) & 0x3fff, height: data.getUint16(28, true) & 0x3fff };
  }
  if (ascii(bytes, 12, "VP8L") && bytes[20] === 0x2f) {
    const bits = data.getUint32(21, true);
    return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (!ascii(bytes, 12, "VP8X")) return null;
  const whole = (at: number) => data.getUint16(at, true) + ((bytes[at + 2] ?? 0) << 16) + 1;
  return { type, width: whole(24), height: whole(27) };
}
