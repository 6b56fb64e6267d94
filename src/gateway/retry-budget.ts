/**
 * Second tries, as a share of all requests. When every upstream is in trouble, trying each request three times would
 * make it worse.
 */
const SHARE = 0.2;
/** So that the first failure of a quiet hour gets its second try. */
const SAVED_MAX = 20;

export class RetryBudget {
  #saved = SAVED_MAX;

  request(): void {
    this.#saved = Math.min(this.#saved + SHARE, SAVED_MAX);
  }

  /** True where one may be made; it is spent then. */
  take(): boolean {
    if (this.#saved < 1) return false;
    this.#saved -= 1;
    return true;
  }
}
