import { type Exchange, type StreamedBody, UpstreamFailure } from "./answer.ts";

/** The demo answers what it has read whole: it has no network to read it from piece by piece. */
export function collectedExchange(body: StreamedBody, answerTo: (bytes: Uint8Array) => Exchange): Exchange {
  let begun: Exchange | null = null;
  let isAborted = false;
  const answer = collect(body).then(bytes => {
    if (isAborted) throw new UpstreamFailure("cut", "aborted before the demo had read the request");
    begun = answerTo(bytes);
    return begun.answer;
  });
  // Whoever aborts may no longer be waiting; the rejection must not bring the process down.
  answer.catch(() => {});
  const abort = () => {
    isAborted = true;
    body.cancel();
    begun?.abort();
  };
  return { answer, abort };
}

async function collect(body: StreamedBody): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let piece = await body.next(); piece !== null; piece = await body.next()) pieces.push(piece);
  return Buffer.concat(pieces);
}
