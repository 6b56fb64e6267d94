import { createHmac } from "node:crypto";

/** The code that an authenticator app shows, `later` steps of 30 seconds from now. */
export function totpCode(secret: string, later = 0): string {
  const step = Math.floor(Date.now() / 30_000) + later;
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const at = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

function fromBase32(text: string): Buffer {
  const bits = [...text.replaceAll(/[\s=]/g, "").toUpperCase()]
    .map(letter => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)));
}
