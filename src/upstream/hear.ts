import type { Clock } from "../domain/clock.ts";
import { type Exchange, UpstreamFailure } from "./answer.ts";

/** Why an upstream gave no answer of use. What it said is a stranger's text, without the credential. */
export type Trouble =
  | { kind: "failure"; failure: UpstreamFailure["kind"]; detail: string }
  | { kind: "status"; status: number; said: string; location: string | null }
  /** A web page, where an API was expected. */
  | { kind: "page" }
  | { kind: "no-answer" }
  | { kind: "too-large" }
  | { kind: "empty" };

/** An answer as a whole: for the operator's own questions. What clients ask for is relayed and never collected. */
export type Heard = {
  status: number;
  contentType: string;
  location: string | null;
  text: string;
  firstByteMs: number;
  durationMs: number;
};

export type HearLimits = { bytesMax: number; msMax: number };

const SAID_CHARACTERS_MAX = 300;

export async function hear(
  exchange: Exchange,
  { limits, clock }: { limits: HearLimits; clock: Clock },
): Promise<{ heard: Heard } | { trouble: Trouble }> {
  const startedMs = clock.nowMs();
  const late = new UpstreamFailure("idle-timeout", `not at its end after ${limits.msMax} ms`);
  const { promise, resolve, reject } = Promise.withResolvers<Heard | "too-large">();
  const timer = setTimeout(() => reject(late), limits.msMax);
  try {
    collect(exchange, { bytesMax: limits.bytesMax, startedMs, clock }).then(resolve, reject);
    const heard = await promise;
    return heard === "too-large" ? { trouble: { kind: "too-large" } } : { heard };
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    return { trouble: { kind: "failure", failure: error.kind, detail: error.detail } };
  } finally {
    clearTimeout(timer);
    exchange.abort();
  }
}

type Collecting = { bytesMax: number; startedMs: number; clock: Clock };

async function collect(
  exchange: Exchange,
  { bytesMax, startedMs, clock }: Collecting,
): Promise<Heard | "too-large"> {
  const answer = await exchange.answer;
  const { promise, resolve, reject } = Promise.withResolvers<Heard | "too-large">();
  const pieces: Uint8Array[] = [];
  let size = 0;
  let firstByteMs: number | null = null;
  answer.read({
    onBytes: bytes => {
      firstByteMs ??= clock.nowMs() - startedMs;
      size += bytes.length;
      if (size <= bytesMax) pieces.push(bytes);
      else {
        answer.abort();
        resolve("too-large");
      }
    },
    onEnd: () => {
      const durationMs = clock.nowMs() - startedMs;
      resolve({
        status: answer.status,
        contentType: answer.headers.get("content-type") ?? "",
        location: answer.headers.get("location") ?? null,
        text: Buffer.concat(pieces).toString("utf8"),
        firstByteMs: firstByteMs ?? durationMs,
        durationMs,
      });
    },
    onFailure: reject,
  });
  return promise;
}

/** Null where the status is one of success. */
export function statusTrouble(
  { status, location, contentType, text }: Heard,
  credential: string | null,
): Trouble | null {
  if (status >= 200 && status < 300) return null;
  // The page of a web server says nothing that its status does not.
  const said = isPage({ contentType, text }) ? "" : withoutCredential(messageIn(text), credential);
  const target =
    location === null ? null : withoutCredential(location, credential).slice(0, SAID_CHARACTERS_MAX);
  return { kind: "status", status, said: said.slice(0, SAID_CHARACTERS_MAX), location: target };
}

const SECRET_CHARACTERS_MIN = 12;

/** It is kept even from the one who gave it: what is told may end in a log. Some consist of several secrets. */
export function withoutCredential(text: string, credential: string | null): string {
  if (credential === null) return text;
  const pieces = credential.split(":").filter(piece => piece.length >= SECRET_CHARACTERS_MIN);
  return [credential, ...pieces].reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
}

export function isPage({ contentType, text }: Pick<Heard, "contentType" | "text">): boolean {
  return /\bhtml\b/i.test(contentType) || /^\s*<(!doctype|html)/i.test(text);
}

/** Null where it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function messageIn(text: string): string {
  const body = fieldsOf(parsed(text));
  const { error, message, detail } = body;
  const inner = fieldsOf(error)["message"];
  const found = [inner, error, message, detail].find(candidate => typeof candidate === "string");
  return typeof found === "string" ? found : "";
}
