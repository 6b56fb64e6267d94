import { CLOCK } from "./demo.case.ts";
import { type DemoPath, demoExchange } from "./demo.ts";

/** The demo as a `fetch` for the official SDKs: they get the bytes it plays, and a broken connection where it cuts. */

const PATHS: readonly [string, DemoPath][] = [
  ["/chat/completions", "chat"],
  ["/messages/count_tokens", "count_tokens"],
  ["/messages", "messages"],
  ["/responses", "responses"],
  ["/embeddings", "embeddings"],
  ["/completions", "completions"],
  ["/images/generations", "images"],
  ["/audio/speech", "speech"],
  ["/audio/transcriptions", "transcriptions"],
];

export async function demoFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = input instanceof Request ? new Request(input, init) : new Request(input.toString(), init);
  const path = PATHS.find(([ending]) => new URL(request.url).pathname.endsWith(ending))?.[1];
  if (path === undefined) throw new Error(`the demo has no ${request.url}`);
  const body = new Uint8Array(await request.arrayBuffer());
  const contentType = request.headers.get("content-type");
  const { answer } = demoExchange({ body, model: modelOf(body), path, contentType }, CLOCK);
  const { status, headers, read } = await answer;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      read({
        onBytes: bytes => controller.enqueue(bytes),
        onEnd: () => controller.close(),
        onFailure: failure => controller.error(failure),
      });
    },
  });
  return new Response(stream, { status, headers: [...headers] });
}

/** The gateway knows the model; here it is read off the request, whatever its form. */
function modelOf(body: Uint8Array): string {
  return (
    /"model":"([^"]+)"|name="model"\r\n\r\n([^\r]+)/.exec(Buffer.from(body).toString("latin1"))?.[1] ?? "demo"
  );
}
