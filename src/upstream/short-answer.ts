import { type Answer, UpstreamFailure } from "./answer.ts";

/** A short answer, whole. */
export function shortAnswer(answer: Answer, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = [];
    let size = 0;
    answer.read({
      onBytes: bytes => {
        size += bytes.length;
        parts.push(bytes);
        if (size <= bytesMax) return;
        answer.abort();
        reject(new UpstreamFailure("limit", `the answer is longer than ${bytesMax} bytes`));
      },
      onEnd: () => resolve(Buffer.concat(parts)),
      onFailure: reject,
    });
  });
}
