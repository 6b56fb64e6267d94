import { inputText } from "../function-input.ts";
import { isDeep, isObject, objectOf, textOf, textOrNull } from "../json-value.ts";
import type { Json } from "../protocol.ts";
import type { AnswerParts } from "./answer-parts.ts";

type Call = {
  /** The part that it is; null as long as its name has not come. */
  part: number | null;
  /** As the upstream gave it, if it did. */
  givenId: string | null;
  id: string;
  name: string;
  tool: "function" | "custom";
  /** Input that came before the name. */
  held: string;
  hasInput: boolean;
  extra: Json | null;
  told: Json | null;
};

const ANSWER_ID_CHARACTERS = 8;

/** The tool calls of an answer, put together from pieces that name them by index, by id, or not at all. */
export class AnswerCalls {
  readonly #parts: AnswerParts;
  readonly #answerId: string;
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<number, Call>();
  readonly #byGivenId = new Map<string, Call>();
  readonly #ids = new Set<string>();

  constructor(parts: AnswerParts, answerId: string) {
    this.#parts = parts;
    this.#answerId = answerId;
  }

  get any(): boolean {
    return this.#ids.size > 0;
  }

  add(piece: Json): void {
    const spec = isObject(piece["custom"]) ? piece["custom"] : objectOf(piece["function"]);
    const call = this.#callOf(piece, textOf(spec["name"]));
    call.givenId ??= this.#given(textOrNull(piece["id"]), call);
    if (call.part === null) {
      call.name ||= textOf(spec["name"]);
      if (isObject(piece["custom"])) call.tool = "custom";
    }
    call.extra = signed(piece["extra_content"]) ?? call.extra;
    const input = inputText(spec["arguments"] ?? spec["input"]);
    if (call.part === null) this.#begin(call, input);
    else this.#more(call, call.part, input);
  }

  end(): void {
    const changed = new Map<string, unknown>();
    for (const call of this.#calls) {
      if (call.part === null) continue;
      // A tool without arguments is called with none, and no arguments are still an object.
      if (call.tool === "function" && !call.hasInput) this.#parts.more(call.part, "{}");
      this.#parts.endCall(call.part);
      if (JSON.stringify(call.extra) !== JSON.stringify(call.told)) changed.set(call.id, call.extra);
    }
    this.#parts.close(changed);
  }

  /** Nobody can run a call without a name: until it comes, the input waits. */
  #begin(call: Call, input: string): void {
    call.held += input;
    if (call.name === "") return;
    call.id = this.#idFor(call);
    const { id, name, tool, extra, held } = call;
    const extras = extra === null ? new Map() : new Map([[id, extra]]);
    call.part = this.#parts.startCall({ kind: "tool-call", id, name, tool, namespace: null }, extras);
    call.told = extra;
    this.#more(call, call.part, held);
  }

  #more(call: Call, part: number, input: string): void {
    if (input === "") return;
    call.hasInput ||= input.trim() !== "";
    this.#parts.more(part, input);
  }

  #callOf(piece: Json, name: string): Call {
    const { index } = piece;
    const id = textOrNull(piece["id"]);
    const found = typeof index === "number" ? this.#atIndex(index, id) : this.#withoutIndex(id, name);
    const call = found ?? this.#newCall();
    if (typeof index === "number") this.#byIndex.set(index, call);
    return call;
  }

  /** Some give every call of an answer the same index, and a new id. */
  #atIndex(index: number, id: string | null): Call | undefined {
    const call = this.#byIndex.get(index);
    if (call === undefined || id === null || call.givenId === null || call.givenId === id) return call;
    return this.#byGivenId.get(id);
  }

  #withoutIndex(id: string | null, name: string): Call | undefined {
    if (id !== null) return this.#byGivenId.get(id);
    return name === "" ? this.#calls.at(-1) : undefined;
  }

  /** Where two calls have the same id, it is the first's. */
  #given(id: string | null, call: Call): string | null {
    if (id !== null && !this.#byGivenId.has(id)) this.#byGivenId.set(id, call);
    return id;
  }

  #newCall(): Call {
    const call: Call = {
      part: null,
      givenId: null,
      id: "",
      name: "",
      tool: "function",
      held: "",
      hasInput: false,
      extra: null,
      told: null,
    };
    this.#calls.push(call);
    return call;
  }

  /** A made-up id is told apart from those of other answers in the same conversation. */
  #idFor({ givenId }: Call): string {
    const place = this.#ids.size;
    const hash = new Bun.CryptoHasher("sha256").update(this.#answerId).digest("hex");
    const suffix = this.#answerId === "" ? "" : `_${hash.slice(0, ANSWER_ID_CHARACTERS)}`;
    const id = givenId === null || this.#ids.has(givenId) ? `call_${place}${suffix}` : givenId;
    this.#ids.add(id);
    return id;
  }
}

/** An empty signature is none. */
function signed(extra: unknown): Json | null {
  if (!isObject(extra) || isDeep(extra)) return null;
  const signature = objectOf(extra["google"])["thought_signature"];
  return signature === "" || Object.keys(extra).length === 0 ? null : extra;
}
