/** The free connections to one origin, the most recently used first: the others may then go out of use. */
export class Pool<Item> {
  readonly #free: Item[] = [];

  constructor(readonly sizeMax: number) {}

  get size(): number {
    return this.#free.length;
  }

  take(): Item | undefined {
    return this.#free.pop();
  }

  /** False if there is no room. */
  put(item: Item): boolean {
    if (this.#free.length >= this.sizeMax) return false;
    this.#free.push(item);
    return true;
  }

  remove(item: Item): void {
    const at = this.#free.lastIndexOf(item);
    if (at >= 0) this.#free.splice(at, 1);
  }
}
