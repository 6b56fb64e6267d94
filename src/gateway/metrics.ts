import { Counter, Histogram } from "../domain/metrics.ts";
import type { TryOutcome } from "../domain/notice.ts";
import type { Operation, Usage } from "../domain/usage.ts";
import type { Settlement } from "../store/store.ts";

type Ended = Pick<
  Settlement,
  "status" | "reason" | "upstream" | "usage" | "cost" | "firstByteMs" | "durationMs" | "attempts"
>;

const REQUEST_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const STORE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5];
const BATCH_COMMANDS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];
const LAG_SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];
const NANOS_PER_USD = 1e9;

/** What is counted while requests pass. No key, account or address is ever a label. */
export class Metrics {
  readonly #requests = new Counter({
    name: "wicketgate_requests_total",
    help: "Admitted requests that have ended, by the status on their usage row.",
    labels: ["operation", "model", "status"],
  });
  readonly #refusals = new Counter({
    name: "wicketgate_refusals_total",
    help: "Requests that were refused before an upstream was asked.",
    labels: ["reason"],
  });
  readonly #upstream = new Counter({
    name: "wicketgate_upstream_requests_total",
    help: "Requests to upstreams: ok, why they ended otherwise, or passed_over where another upstream was asked instead.",
    labels: ["upstream", "model", "outcome"],
  });
  readonly #tokens = new Counter({
    name: "wicketgate_tokens_total",
    help: "Tokens of settled requests; the kinds are disjoint.",
    labels: ["model", "kind"],
  });
  readonly #cost = new Counter({
    name: "wicketgate_cost_usd_total",
    help: "What settled requests cost by their price.",
    labels: ["model"],
  });
  readonly #refused = new Counter({
    name: "wicketgate_upstream_credentials_refused_total",
    help: "How often an upstream refused one of its credentials, each rest counted once.",
    labels: ["upstream"],
  });
  readonly #stood = new Counter({
    name: "wicketgate_upstream_state_changes_total",
    help: "How often an upstream with a model, or one of its credentials, was given a rest, tried, or taken back.",
    labels: ["upstream", "state"],
  });
  readonly #removed = new Counter({
    name: "wicketgate_usage_rows_removed_total",
    help: "Rows of the usage log that were removed, because they are older than rows are kept.",
    labels: [],
  });
  readonly #deliveries = new Counter({
    name: "wicketgate_deliveries_total",
    help: "Tries to bring a notice to a webhook or by mail: delivered, failed and tried again later, or given up.",
    labels: ["to", "outcome"],
  });
  readonly #batches = new Histogram({
    name: "wicketgate_store_batch_seconds",
    help: "What the database took to commit a batch.",
    labels: [],
    bounds: STORE_SECONDS,
  });
  readonly #batchCommands = new Histogram({
    name: "wicketgate_store_batch_commands",
    help: "Admissions, settlements and notes that were written in one batch.",
    labels: [],
    bounds: BATCH_COMMANDS,
  });
  readonly #firstByte = new Histogram({
    name: "wicketgate_upstream_first_byte_seconds",
    help: "From the arrival of a request to the first byte of its answer, by the upstream that gave it.",
    labels: ["upstream"],
    bounds: REQUEST_SECONDS,
  });
  readonly #duration = new Histogram({
    name: "wicketgate_request_duration_seconds",
    help: "From the arrival of an admitted request to its end.",
    labels: ["operation"],
    bounds: REQUEST_SECONDS,
  });
  readonly #admission = new Histogram({
    name: "wicketgate_store_admission_seconds",
    help: "What the database took to decide on a request.",
    labels: ["outcome"],
    bounds: STORE_SECONDS,
  });
  readonly #lag = new Histogram({
    name: "wicketgate_event_loop_lag_seconds",
    help: "How late a timer of the event loop was, looked at twice a second.",
    labels: [],
    bounds: LAG_SECONDS,
  });

  /** Of a request that was admitted: its model is one of the operator's, and no client makes up a label. */
  ended(operation: Operation, model: string, end: Ended): void {
    const { status, reason, upstream, usage, cost, firstByteMs, durationMs, attempts } = end;
    this.#requests.add(1, operation, model, status === 200 ? "200" : String(status));
    this.#duration.observe(durationMs / 1_000, operation);
    this.#count(usage, model);
    if (cost > 0n) this.#cost.add(Number(cost) / NANOS_PER_USD, model);
    if (attempts !== undefined) this.#passedOver(attempts, model);
    if (upstream === null) return;
    this.#upstream.add(1, upstream, model, reason ?? "ok");
    if (firstByteMs !== null) this.#firstByte.observe(firstByteMs / 1_000, upstream);
  }

  #count({ input, cacheRead, cacheWrite5m, cacheWrite1h, output }: Usage, model: string): void {
    if (input > 0) this.#tokens.add(input, model, "input");
    if (cacheRead > 0) this.#tokens.add(cacheRead, model, "cache_read");
    if (cacheWrite5m > 0) this.#tokens.add(cacheWrite5m, model, "cache_write_5m");
    if (cacheWrite1h > 0) this.#tokens.add(cacheWrite1h, model, "cache_write_1h");
    if (output > 0) this.#tokens.add(output, model, "output");
  }

  refused(reason: string): void {
    this.#refusals.add(1, reason);
  }

  decided(outcome: "admitted" | "refused" | "failed", ms: number): void {
    this.#admission.observe(ms / 1_000, outcome);
  }

  credentialRefused(upstream: string): void {
    this.#refused.add(1, upstream);
  }

  stood(upstream: string, state: string): void {
    this.#stood.add(1, upstream, state);
  }

  rowsRemoved(count: number): void {
    this.#removed.add(count);
  }

  brought(to: "webhook" | "mail", outcome: TryOutcome): void {
    this.#deliveries.add(1, to, outcome);
  }

  batchWritten({ commands, ms }: { commands: number; ms: number }): void {
    this.#batches.observe(ms / 1_000);
    this.#batchCommands.observe(commands);
  }

  lagged(ms: number): void {
    this.#lag.observe(ms / 1_000);
  }

  text(): string {
    const upstreams = [this.#upstream, this.#refused, this.#stood];
    const house = [this.#removed, this.#deliveries];
    const counters = [this.#requests, this.#refusals, ...upstreams, this.#tokens, this.#cost, ...house];
    const batches = [this.#batches, this.#batchCommands];
    const histograms = [this.#firstByte, this.#duration, this.#admission, ...batches, this.#lag];
    return [...counters, ...histograms].map(family => family.text()).join("");
  }

  /** Why they failed is a sentence, and sentences are no labels. */
  #passedOver(attempts: string, model: string): void {
    for (const { upstream } of JSON.parse(attempts) as { upstream: string }[])
      this.#upstream.add(1, upstream, model, "passed_over");
  }
}
