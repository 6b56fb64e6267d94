import { UpstreamFailure } from "./answer.ts";

export type ResponseHead = {
  status: number;
  headers: ReadonlyMap<string, string>;
  /** How the end of the body is known; a number is its length in bytes. */
  body: number | "chunked" | "until-close";
  keepAlive: boolean;
  /** The body is compressed, which was not asked for. */
  compressed: boolean;
};

const nameForm = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const statusLineForm = /^HTTP\/1\.([01]) ([1-9][0-9][0-9])(?: |$)/;
const STATUS_LINE_BYTES_MIN = 13;
const USUAL = "HTTP/1.1 200 ";
const USUALLY = { status: 200, persistent: true };

/** Takes the head without its last empty line; every line, the last one too, ends in CR LF. */
export function parseHead(text: string): ResponseHead {
  if (text.includes("\0")) throw broken("a zero byte in the head");
  const firstEnd = lineEnd(text, 0);
  const { status, persistent } = text.startsWith(USUAL) ? USUALLY : readStatusLine(text, firstEnd);
  const headers = parseHeaders(text, firstEnd + 2);
  const body = framing(status, headers, persistent);
  const keepAlive = body !== "until-close" && staysOpen(headers, persistent);
  return { status, headers, body, keepAlive, compressed: body !== 0 && isCompressed(headers) };
}

function readStatusLine(text: string, end: number): typeof USUALLY {
  const statusLine = statusLineForm.exec(text.slice(0, Math.min(end, STATUS_LINE_BYTES_MIN)));
  if (!statusLine) throw broken("no HTTP/1 status line");
  return { status: Number(statusLine[2]), persistent: statusLine[1] === "1" };
}

function parseHeaders(text: string, from: number): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = from; at < text.length; ) {
    const end = lineEnd(text, at);
    const colon = text.indexOf(":", at);
    if (colon < 0 || colon > end) throw broken("a header line without a colon");
    const name = loweredName(text.slice(at, colon));
    const value = trimmed(text, colon + 1, end);
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
    at = end + 2;
  }
  return headers;
}

/** Upstreams send the same few names, written the same way, with every answer: each is checked once. */
const knownNames = new Map<string, string>();
const KNOWN_NAMES_MAX = 1_000;

function loweredName(raw: string): string {
  const known = knownNames.get(raw);
  if (known !== undefined) return known;
  const name = raw.toLowerCase();
  // A folded line begins with white space, which no name may hold: it is refused here too.
  if (!nameForm.test(name)) throw broken("a malformed header name");
  if (knownNames.size < KNOWN_NAMES_MAX) knownNames.set(raw, name);
  return name;
}

/** Only space and tab may be taken off; `trim` would take a no-break space too. */
function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Both searches are native; together they refuse a lone CR and a lone LF. */
function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\r", from);
  if (end < 0 || text.indexOf("\n", from) !== end + 1) throw broken("a line that does not end in CR LF");
  return end;
}

function framing(
  status: number,
  headers: ReadonlyMap<string, string>,
  persistent: boolean,
): ResponseHead["body"] {
  const transferEncoding = headers.get("transfer-encoding");
  const contentLength = headers.get("content-length");
  if (transferEncoding !== undefined && contentLength !== undefined) {
    throw broken("both content-length and transfer-encoding");
  }
  const length = contentLength === undefined ? undefined : parseLength(contentLength);
  if (status < 200 || status === 204 || status === 304) return 0;
  if (transferEncoding === undefined) return length ?? "until-close";
  if (transferEncoding.toLowerCase() !== "chunked" || !persistent) {
    throw broken("a transfer-encoding other than chunked over HTTP/1.1");
  }
  return "chunked";
}

function parseLength(value: string): number {
  const plain = Number(value);
  if (String(plain) === value && Number.isSafeInteger(plain) && plain >= 0) return plain;
  const [first = "", ...repeats] = value.split(/ *, */);
  // 15 digits stay exact as a number.
  if (!/^[0-9]{1,15}$/.test(first)) throw broken("a content-length that is not a number");
  if (repeats.some(repeat => repeat !== first)) throw broken("content-lengths that differ");
  return Number(first);
}

function isCompressed(headers: ReadonlyMap<string, string>): boolean {
  const encoding = headers.get("content-encoding");
  return encoding !== undefined && encoding !== "" && encoding.toLowerCase() !== "identity";
}

function staysOpen(headers: ReadonlyMap<string, string>, persistent: boolean): boolean {
  const connection = headers.get("connection");
  if (connection === undefined) return persistent;
  const options = connection
    .toLowerCase()
    .split(",")
    .map(option => option.trim());
  return !options.includes("close") && (persistent || options.includes("keep-alive"));
}

function broken(detail: string): UpstreamFailure {
  return new UpstreamFailure("protocol", detail);
}
