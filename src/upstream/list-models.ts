import type { UpstreamKind } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import type { OutboundLimits } from "./answer.ts";
import {
  fieldsOf,
  type Heard,
  hear,
  isPage,
  parsed,
  statusTrouble,
  type Trouble,
  withoutCredential,
} from "./hear.ts";
import type { Outbound } from "./http1.ts";
import { modelsAddress } from "./presets/address.ts";
import type { SentHeaders } from "./presets/preset.ts";
import { PRESETS } from "./presets/presets.ts";

export type Listing = {
  outbound: Outbound;
  limits: OutboundLimits;
  clock: Clock;
  kind: UpstreamKind;
  baseUrl: string;
  /** In clear. */
  credential: string | null;
};

/** `unusable` have a name that no client could ask for, or must not see. */
export type ModelList =
  | { url: string; models: string[]; unusable: number }
  | { url: string; trouble: Trouble };

const PAGES_MAX = 50;
const PAGE_BYTES_MAX = 32 * 1024 * 1024;
const MODELS_MAX = 20_000;
const LIST_MS_MAX = 30_000;
const MESSAGES_PAGE = 1_000;
const MESSAGES_VERSION = "2023-06-01";
const NAME = /^[^\s\p{Cc}*]{1,200}$/u;

/** What an upstream says it has; null where this kind has no such list. */
export async function listModels(listing: Listing): Promise<ModelList | null> {
  const preset = PRESETS[listing.kind];
  const url = modelsAddress(preset, listing.baseUrl);
  if (url === null) return null;
  const path = preset.speaks.includes("chat") ? "chat" : "messages";
  const headers: SentHeaders = {
    accept: "application/json",
    ...(path === "messages" ? { "anthropic-version": MESSAGES_VERSION } : {}),
    ...(listing.credential === null ? {} : preset.auth(listing.credential, path)),
  };
  const ids = new Set<string>();
  let after: string | null = null;
  for (let page = 0; page < PAGES_MAX && ids.size <= MODELS_MAX; page += 1) {
    const read = await readPage(listing, { url: pageUrl(url, path === "messages", after), headers });
    if ("trouble" in read) return { url, trouble: read.trouble };
    for (const id of read.ids) ids.add(id);
    if (read.next === null || read.next === after) break;
    after = read.next;
  }
  if (ids.size > MODELS_MAX) return { url, trouble: { kind: "too-large" } };
  if (ids.size === 0) return { url, trouble: { kind: "empty" } };
  const { credential } = listing;
  const isFit = (id: string) => NAME.test(id) && withoutCredential(id, credential) === id;
  const models = [...ids].filter(isFit).toSorted();
  return { url, models, unusable: ids.size - models.length };
}

/** Lists of the messages dialect come in pages; the others are whole, and some know no parameters. */
function pageUrl(url: string, isPaged: boolean, after: string | null): URL {
  const page = new URL(url);
  if (isPaged) page.searchParams.set("limit", String(MESSAGES_PAGE));
  if (after !== null) page.searchParams.set("after_id", after);
  return page;
}

type Page = { ids: string[]; next: string | null } | { trouble: Trouble };

async function readPage(
  { outbound, limits, clock, credential }: Listing,
  { url, headers }: { url: URL; headers: SentHeaders },
): Promise<Page> {
  const exchange = outbound.send({ method: "GET", url, headers, body: null }, limits);
  const answered = await hear(exchange, { limits: { bytesMax: PAGE_BYTES_MAX, msMax: LIST_MS_MAX }, clock });
  if ("trouble" in answered) return answered;
  const trouble = statusTrouble(answered.heard, credential);
  return trouble === null ? idsIn(answered.heard) : { trouble };
}

/** `{"data": […]}` almost everywhere, a bare list at some, and `{"models": […]}` at a few. */
function idsIn(heard: Heard): Page {
  if (isPage(heard)) return { trouble: { kind: "page" } };
  const body = parsed(heard.text);
  const { data, models, has_more: hasMore, last_id: lastId } = fieldsOf(body);
  const list = [body, data, models].find(candidate => Array.isArray(candidate));
  // An error with a good status, for one.
  if (!Array.isArray(list)) return { trouble: { kind: "no-answer" } };
  const ids = list.flatMap(item => {
    const { id, name } = fieldsOf(item);
    const found = id ?? name;
    return typeof found === "string" && found !== "" ? [found.replace(/^models\//, "")] : [];
  });
  return { ids, next: hasMore === true && typeof lastId === "string" && ids.length > 0 ? lastId : null };
}
