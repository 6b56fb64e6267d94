const OWN = "toolu_";
const CARRIED = "toolu_wg";
const CALL_ID_CHARACTERS_MAX = 64;
const RAW_CHARACTERS_MAX = 200;
const HASH_CHARACTERS = 16;

/**
 * A tool call's id in the messages dialect, which takes letters, digits, `_` and `-` alone. Ids of other makers are
 * spelled out behind a prefix, so no two become one and each can be read back.
 */
export function toMessagesId(raw: string): string {
  if (raw.startsWith(OWN) && !raw.startsWith(CARRIED) && /^[A-Za-z0-9_-]+$/.test(raw)) return raw;
  const isWhole = raw.length <= RAW_CHARACTERS_MAX && raw.isWellFormed();
  return CARRIED + spelled(isWhole ? raw : shortened(raw, RAW_CHARACTERS_MAX));
}

/** What we have not spelled so ourselves is its maker's own id, and stays as it is. */
export function fromMessagesId(id: string): string {
  if (!id.startsWith(CARRIED)) return id;
  const raw = unspelled(id.slice(CARRIED.length));
  return toMessagesId(raw) === id ? raw : id;
}

/** OpenAI's dialects take 64 characters. What is longer keeps its beginning and is told apart by a hash of the whole. */
export function toCallId(raw: string): string {
  if (raw === "") return "call_0";
  return raw.length <= CALL_ID_CHARACTERS_MAX ? raw : shortened(raw, CALL_ID_CHARACTERS_MAX);
}

function shortened(raw: string, charactersMax: number): string {
  const hash = new Bun.CryptoHasher("sha256")
    .update(JSON.stringify(raw))
    .digest("hex")
    .slice(0, HASH_CHARACTERS);
  return `${raw.slice(0, charactersMax - HASH_CHARACTERS - 1)}_${hash}`;
}

function spelled(raw: string): string {
  return raw.replace(/[^A-Za-z0-9-]/gu, character => {
    if (character === "_") return "__";
    return [...Buffer.from(character)].map(byte => `_${byte.toString(16).padStart(2, "0")}`).join("");
  });
}

function unspelled(text: string): string {
  const bytes = text.replace(/__|_([0-9a-f]{2})/g, (_, hex?: string) =>
    hex === undefined ? "_" : String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
