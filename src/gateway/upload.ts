import { type Refusal, refusal } from "../domain/errors.ts";
import type { Problem } from "../protocols/protocol.ts";
import { type StreamedBody, UploadFailure } from "../upstream/answer.ts";
import { FormScanner, type FormText } from "./multipart.ts";

/** A form whose texts are known and whose file is still coming. */
export type FormResult = { texts: Buffer; upload: Upload } | { refusal: Refusal };

const MIB = 1_024 * 1_024;
/** The one by which it is priced, and the one that says how it is answered. */
const WANTED = ["model", "stream"];
const BOUNDARY_FORM = /^[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]$/;
const NOT_WHOLE = { param: "", problem: "the body did not arrive whole" };
const TOKEN = /^[0-9A-Za-z'+_.-]+$/;

/** Reads a form until its model is known, and no further: the rest goes on to the upstream as it comes. */
export async function receiveForm(http: Request, bytesMax: number): Promise<FormResult> {
  const encoding = http.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") return unsupported(`content-encoding ${encoding}`);
  const type = http.headers.get("content-type");
  if (type === null || !/^multipart\/form-data\s*(;|$)/i.test(type.trim()))
    return unsupported(type === null ? "no content-type" : `content-type ${type}`);
  const boundary = boundaryOf(type);
  if (boundary === null || http.body === null)
    return invalid({ param: "", problem: "the content-type of the form names no boundary" });
  const declared = http.headers.get("content-length");
  if (declared !== null && Number(declared) > bytesMax) return { refusal: tooLarge(bytesMax) };
  const upload = new Upload(http.body, { boundary, bytesMax, length: lengthOf(declared) });
  const refused = await upload.begin();
  if (refused === null) return { texts: upload.texts, upload };
  upload.cancel();
  return { refusal: refused };
}

type UploadOptions = { boundary: string; bytesMax: number; length: number | null };
type Reader = {
  read: () => Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel: () => Promise<void>;
};

/** The body of a form on its way through. What was read before it could go on is held; beyond that, one piece at a time. */
export class Upload {
  readonly #reader: Reader;
  readonly #options: UploadOptions;
  readonly #scanner: FormScanner;
  #held: Uint8Array[] = [];
  #size = 0;
  #isOver = false;
  #isRead = false;

  constructor(body: ReadableStream<Uint8Array>, options: UploadOptions) {
    this.#reader = body.getReader();
    this.#options = options;
    this.#scanner = new FormScanner(options.boundary, WANTED);
  }

  /** The texts of the form that are known, as JSON. */
  get texts(): Buffer {
    const values = [...this.#scanner.texts].map(([name, { value }]) => [name, value]);
    return Buffer.from(JSON.stringify(Object.fromEntries(values)));
  }

  /** All of it has gone on. */
  get isWhole(): boolean {
    return this.#isRead && this.#held.length === 0;
  }

  /** Reads until the model is known. */
  async begin(): Promise<Refusal | null> {
    const { texts } = this.#scanner;
    try {
      while (!texts.has("model") && !this.#scanner.isWhole) {
        const piece = await this.#read();
        if (piece === null) break;
        this.#held.push(piece);
      }
    } catch (error) {
      if (error instanceof UploadFailure) return error.refusal ?? problem(NOT_WHOLE);
      throw error;
    }
    if (!texts.has("model")) return problem({ param: "model", problem: "“model” is missing" });
    const lacksFile = this.#scanner.isWhole && !this.#scanner.hasFile;
    return lacksFile ? problem({ param: "file", problem: "“file” is missing" }) : null;
  }

  /** As it came, apart from the model's name where the upstream knows it by another. */
  body(upstreamModel: string): StreamedBody {
    const { boundary, length } = this.#options;
    const model = this.#scanner.texts.get("model");
    let added = 0;
    if (model !== undefined && model.value !== upstreamModel) {
      const written = Buffer.from(upstreamModel);
      this.#held = spliced(this.#held, model, written);
      added = written.length - (model.end - model.start);
    }
    return {
      contentType: `multipart/form-data; boundary=${TOKEN.test(boundary) ? boundary : `"${boundary}"`}`,
      length: length === null ? null : length + added,
      next: async () => this.#held.shift() ?? (await this.#read()),
      cancel: () => this.cancel(),
    };
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#held = [];
    // A client that is gone has nothing to be told.
    this.#reader.cancel().catch(() => {});
  }

  async #read(): Promise<Uint8Array | null> {
    if (this.#isOver) return null;
    const piece = await this.#piece();
    if (piece !== null) return piece;
    this.#isOver = true;
    this.#isRead = this.#scanner.isWhole;
    if (this.#isRead) return null;
    throw new UploadFailure(
      problem({ param: "", problem: "the form has no end: its last boundary is missing" }),
    );
  }

  /** Looked through before it goes on. */
  async #piece(): Promise<Uint8Array | null> {
    const { bytesMax } = this.#options;
    for (;;) {
      const { done, value } = await this.#reader.read().catch(() => {
        throw new UploadFailure(null);
      });
      if (done || value === undefined) return null;
      if (value.length === 0) continue;
      this.#size += value.length;
      if (this.#size > bytesMax) throw new UploadFailure(tooLarge(bytesMax));
      this.#scanner.feed(value);
      const found = this.#scanner.problem;
      if (found !== null) throw new UploadFailure(problem(found));
      return value;
    }
  }
}

/** The pieces with some bytes of theirs replaced, which may stand in more than one. */
function spliced(pieces: readonly Uint8Array[], { start, end }: FormText, by: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (const piece of pieces) {
    const [cutFrom, cutEnd] = [start - from, end - from].map(at => Math.min(Math.max(at, 0), piece.length));
    parts.push(piece.subarray(0, cutFrom));
    if (start >= from && start < from + piece.length) parts.push(by);
    parts.push(piece.subarray(cutEnd));
    from += piece.length;
  }
  return parts.filter(part => part.length > 0);
}

/** Null where none is named, or more than one: then it would be chance which of them an upstream goes by. */
function boundaryOf(type: string): string | null {
  const named = [...type.matchAll(/;\s*boundary\*?\d*\*?=(?:"([^"]*)"|([^\s;]*))/gi)];
  const [only] = named;
  const boundary = only?.[1] ?? only?.[2] ?? "";
  return named.length === 1 && BOUNDARY_FORM.test(boundary) ? boundary : null;
}

function lengthOf(declared: string | null): number | null {
  return declared !== null && /^\d+$/.test(declared) ? Number(declared) : null;
}

function problem(found: Problem): Refusal {
  return refusal("request_invalid", found);
}

function invalid(found: Problem): FormResult {
  return { refusal: problem(found) };
}

function unsupported(found: string): FormResult {
  return { refusal: refusal("unsupported_media_type", { found: found.slice(0, 100) }) };
}

function tooLarge(bytesMax: number): Refusal {
  return refusal("body_too_large", { limit: Math.floor(bytesMax / MIB) });
}
