const HASH_CHARACTERS = 8;
const NAME = /^[A-Za-z0-9_-]+$/;
const NAMELESS = "tool";

/** A tool as its client knows it. */
export type ToolName = { name: string; namespace: string | null; tool: "function" | "custom" };

export type NameRules = { namespaces: boolean; nameCharactersMax: number };

/**
 * Which name each tool has at an upstream: its own wherever that is allowed. One that has to be made is made of the
 * tool's own names alone, so that it is the same in every turn of a conversation, and no two tools share one.
 */
export class ToolNames {
  readonly #rules: NameRules;
  readonly #written = new Map<string, string>();
  readonly #known = new Map<string, ToolName>();

  /** Those whose own names can stay get them first, whatever the order. */
  constructor(rules: NameRules, tools: readonly ToolName[]) {
    this.#rules = rules;
    const plain = tools.filter(tool => this.#isPlain(tool));
    for (const tool of plain) this.#enter(tool, tool.name);
    for (const tool of tools) this.#enter(tool, this.#spelled(tool));
  }

  written(tool: ToolName): string {
    return this.#written.get(keyOf(tool)) ?? tool.name;
  }

  /** Whose name it is; undefined where no tool has it. */
  known(name: string, namespace: string | null): ToolName | undefined {
    return this.#known.get(this.#place(name, namespace));
  }

  #isPlain({ name, namespace }: ToolName): boolean {
    return (namespace === null || this.#rules.namespaces) && this.#isAllowed(name);
  }

  #isAllowed(name: string): boolean {
    return name.length <= this.#rules.nameCharactersMax && NAME.test(name);
  }

  #spelled(tool: ToolName): string {
    const { name, namespace } = tool;
    const joined = namespace === null || this.#rules.namespaces ? name : `${namespace}__${name}`;
    return this.#isAllowed(joined) ? joined : this.#marked(joined, tool);
  }

  /** What had to be changed is told apart by a hash of all that it was. */
  #marked(name: string, tool: ToolName, attempt = 0): string {
    const kept = (name === "" ? NAMELESS : name).replace(/[^A-Za-z0-9_-]/g, "_");
    const hasher = new Bun.CryptoHasher("sha256").update(keyOf(tool));
    if (attempt > 0) hasher.update(`\0${attempt}`);
    const hash = hasher.digest("hex").slice(0, HASH_CHARACTERS);
    return `${kept.slice(0, this.#rules.nameCharactersMax - HASH_CHARACTERS - 1)}_${hash}`;
  }

  #enter(tool: ToolName, name: string): void {
    const key = keyOf(tool);
    if (this.#written.has(key)) return;
    const { namespace } = tool;
    let free = name;
    for (let attempt = 0; this.known(free, namespace) !== undefined; attempt++)
      free = this.#marked(name, tool, attempt);
    this.#written.set(key, free);
    this.#known.set(this.#place(free, namespace), tool);
  }

  /** Where namespaces are kept, each has names of its own. */
  #place(name: string, namespace: string | null): string {
    return namespace === null || !this.#rules.namespaces ? name : JSON.stringify([namespace, name]);
  }
}

/** The same for a tool and for every call of it. */
function keyOf({ name, namespace, tool }: ToolName): string {
  return JSON.stringify([tool, namespace, name]);
}
