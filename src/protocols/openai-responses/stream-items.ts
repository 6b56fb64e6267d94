import { textOf, textOrNull } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import type { ToldPart } from "./told-parts.ts";

/** An item of the output, as far as the stream has spoken of it. */
export type StreamItem = {
  readonly type: string;
  readonly callId: string | null;
  /** By their place in the content; all but messages have one. */
  readonly parts: Map<number, ToldPart>;
  /** What the reasoning that was told is, and which piece of it came last. */
  source: "summary" | "content" | null;
  section: number;
  isDone: boolean;
};

type Place = { id: string | null; index: number | null };

/**
 * Which item an event speaks of. Not every upstream keeps to one id for an item, nor to one place for each: the id
 * counts where it is known, and after it the place.
 */
export class StreamItems {
  readonly #byId = new Map<string, StreamItem>();
  readonly #byIndex = new Map<number, StreamItem>();
  readonly #byCallId = new Map<string, StreamItem>();

  /** For an event that carries the item. */
  ofItem(item: Json, index: unknown): StreamItem {
    const place = { id: textOrNull(item["id"]), index: placeOf(index) };
    const [type, callId] = [textOf(item["type"]), textOrNull(item["call_id"])];
    const known = this.#known(place, callId);
    if (known !== undefined && (known.type === type || known.callId !== null))
      return this.#enter(known, place);
    return this.#enter(newItem(type, callId), place);
  }

  /** For one that speaks of it. Where nothing announced the item, it is of this type. */
  ofEvent({ item_id: id, output_index: index }: Json, type: string): StreamItem | null {
    const place = { id: textOrNull(id), index: placeOf(index) };
    if (place.id === null && place.index === null) return null;
    const known = this.#known(place, null);
    if (known !== undefined && known.type !== type) return null;
    return known ?? this.#enter(newItem(type, null), place);
  }

  /** An item that is done, and has another id, is not meant by its place, unless it is the same call. */
  #known({ id, index }: Place, callId: string | null): StreamItem | undefined {
    const byName =
      (id === null ? undefined : this.#byId.get(id)) ??
      (callId === null ? undefined : this.#byCallId.get(callId));
    if (byName !== undefined) return byName;
    const there = index === null ? undefined : this.#byIndex.get(index);
    const isOtherCall = callId !== null && there?.callId !== null && there?.callId !== callId;
    return there === undefined || there.isDone || isOtherCall ? undefined : there;
  }

  #enter(item: StreamItem, { id, index }: Place): StreamItem {
    if (id !== null) this.#byId.set(id, item);
    if (index !== null) this.#byIndex.set(index, item);
    if (item.callId !== null) this.#byCallId.set(item.callId, item);
    return item;
  }

  /** The item at a place of the whole output, where the stream has told of it under whatever id. */
  atPlace(item: Json, index: number): StreamItem {
    const there = this.#byIndex.get(index);
    const isNamed = this.#known({ id: textOrNull(item["id"]), index: null }, textOrNull(item["call_id"]));
    if (isNamed === undefined && there?.isDone && there.type === item["type"]) return there;
    return this.ofItem(item, index);
  }
}

function newItem(type: string, callId: string | null): StreamItem {
  return { type, callId, parts: new Map(), source: null, section: 0, isDone: false };
}

function placeOf(index: unknown): number | null {
  return typeof index === "number" && Number.isInteger(index) && index >= 0 ? index : null;
}
