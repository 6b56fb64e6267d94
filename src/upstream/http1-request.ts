import { isStreamed, type OutboundRequest, UpstreamFailure } from "./answer.ts";

/** Framing and connection handling are ours; the caller's own values for these are left out. */
const ownNames = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "accept-encoding",
  "expect",
  "upgrade",
  "te",
  "trailer",
]);

const nameForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const valueForm = /^[\t -~\u0080-\u00ff]*$/;

/** Throws an UpstreamFailure that names the header, never its value, which may be a credential. */
export function requestHeadStart(request: Pick<OutboundRequest, "method" | "url" | "headers">): string {
  const { url } = request;
  let head = `${request.method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`;
  for (const name in request.headers) {
    const value = request.headers[name];
    if (value === undefined || ownNames.has(name.toLowerCase())) continue;
    if (!nameForm.test(name)) throw new UpstreamFailure("protocol", "a header name that cannot be sent");
    if (!valueForm.test(value)) {
      throw new UpstreamFailure("protocol", `the value of header ${name} cannot be sent`);
    }
    head += `${name}: ${value}\r\n`;
  }
  return `${head}accept-encoding: identity\r\nconnection: keep-alive\r\n`;
}

export function requestHead(
  start: string,
  { method, body }: Pick<OutboundRequest, "method" | "body">,
): string {
  if (body === null && method !== "POST") return `${start}\r\n`;
  if (isStreamed(body) && body.length === null) return `${start}transfer-encoding: chunked\r\n\r\n`;
  return `${start}content-length: ${body?.length ?? 0}\r\n\r\n`;
}
