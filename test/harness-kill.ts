import { expect } from "bun:test";
import { type Environment, type Gateway, mustRun, startGateway, type UsageRow } from "./harness.ts";
import { askChat, chatBody } from "./harness-client.ts";
import {
  callMessage,
  type PacedCall,
  type PacedUpstream,
  sentBy,
  TOKENS_PER_EVENT,
  tokensIn,
} from "./harness-paced.ts";

/** Kills the gateway under load again and again, and compares its books with what the upstream wrote down itself. */

export type KillOptions = {
  dir: string;
  env: Environment;
  paced: PacedUpstream;
  random: () => number;
  streams: number;
  /** Clients that ask again at once, for answers that are there at once. */
  hurried: number;
};

export type Figures = {
  kills: number;
  settled: number;
  interrupted: number;
  /** The largest time between the first token that was not billed and the kill. */
  unbilledMs: number;
  readyMs: number[];
};

const UNBILLED_MS_MAX = 2_000;
const RUN_MS_MIN = 400;
const RUN_MS_MORE = 2_800;
const HURRIED_MS = 20;
const PAGE = 1_000;

type Got = { text: string };
type KillRow = UsageRow & { tool: string };

export class KillLoop {
  readonly figures: Figures = { kills: 0, settled: 0, interrupted: 0, unbilledMs: 0, readyMs: [] };
  gateway: Gateway | null = null;
  #calls = 0;

  constructor(readonly options: KillOptions) {}

  /** To be ready is to answer so on the port that it names, counted from the command. */
  async start(): Promise<Gateway> {
    const { dir, env } = this.options;
    const tick = performance.now();
    const gateway = await startGateway(dir, env);
    this.gateway = gateway;
    expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200);
    this.figures.readyMs.push(performance.now() - tick);
    return gateway;
  }

  async round(key: { key: string; id: string }): Promise<void> {
    const { paced, random, streams, hurried } = this.options;
    const gateway = this.gateway ?? (await this.start());
    paced.journal.clear();
    const got = new Map<string, Got>();
    const state = { running: true };
    const clients = Array.from({ length: streams + hurried }, (_, at) =>
      this.#client({ base: gateway.base, key: key.key, got, state, stream: at < streams }),
    );
    await Bun.sleep(RUN_MS_MIN + random() * RUN_MS_MORE);
    const killTick = performance.now();
    await gateway.kill();
    state.running = false;
    await Promise.all(clients);

    await this.start();
    this.figures.kills += 1;
    await this.#verify();
    this.#compare(await this.#rows(key.id), { got, killTick });
  }

  /** Asks again and again, under a new name each time, and keeps what it gets. */
  async #client(client: {
    base: string;
    key: string;
    got: Map<string, Got>;
    state: { running: boolean };
    stream: boolean;
  }): Promise<void> {
    const { base, key, got, state, stream } = client;
    while (state.running) {
      const name = `call-${this.#calls++}`;
      // A third ends soon, so that settlements are on their way when the kill comes; the others go on until it does.
      const events = this.options.random() < 0.33 ? 1 + Math.floor(this.options.random() * 30) : 500;
      const messages = [{ role: "user", content: callMessage(name, events) }];
      const mine: Got = { text: "" };
      try {
        const body = chatBody("paced", { stream, messages });
        const response = await askChat(base, { key, body, headers: { "user-agent": name } });
        expect(response.status).toBe(200);
        got.set(name, mine);
        const decoder = new TextDecoder();
        for await (const piece of response.body ?? []) mine.text += decoder.decode(piece, { stream: true });
        if (!stream) await Bun.sleep(HURRIED_MS);
      } catch {
        // It was killed, as it should be.
        return;
      }
    }
  }

  async #verify(): Promise<void> {
    await mustRun(this.options.dir, ["verify"], { env: this.options.env });
  }

  async #rows(keyId: string): Promise<KillRow[]> {
    const { dir, env } = this.options;
    const rows: KillRow[] = [];
    for (;;) {
      const last = rows.at(-1);
      const args = ["usage", "--json", "--limit", String(PAGE), "--key", keyId];
      if (last !== undefined) args.push("--before", last.id);
      const page = JSON.parse(await mustRun(dir, args, { env, toFile: true })) as KillRow[];
      rows.push(...page);
      if (page.length < PAGE) return rows;
    }
  }

  #compare(rows: readonly KillRow[], seen: { got: Map<string, Got>; killTick: number }): void {
    const byName = new Map(rows.map(row => [row.tool, row]));
    expect(byName.size).toBe(rows.length);
    for (const row of rows) {
      expect(["settled", "interrupted"]).toContain(row.state);
      if (!this.options.paced.journal.has(row.tool)) expect(row).toMatchObject({ cost: "0.00" });
    }
    for (const call of this.options.paced.journal.values()) {
      const text = seen.got.get(call.name)?.text ?? "";
      this.#compareCall({ call, row: byName.get(call.name), text, killTick: seen.killTick });
    }
    for (const name of seen.got.keys()) expect(byName.has(name)).toBe(true);
  }

  #compareCall(about: { call: PacedCall; row: KillRow | undefined; text: string; killTick: number }): void {
    const { call, row, text, killTick } = about;
    const { figures } = this;
    // The upstream is asked when the row is committed, so that every call has one, whatever comes after.
    if (row === undefined) throw new Error(`the call ${call.name} has no row`);
    if (row.state === "settled") {
      figures.settled += 1;
      expect(call.isWhole).toBe(true);
      const sent = call.stream ? call.sentTicks.length * TOKENS_PER_EVENT : 1;
      expect(row).toMatchObject({ output_tokens: sent, source: "reported" });
      return;
    }
    figures.interrupted += 1;
    if (!call.stream) {
      expect(row).toMatchObject({ output_tokens: 0, cost: "0.00" });
      return;
    }
    // Never more than was delivered, and all but the last two seconds of what was sent.
    expect(row.output_tokens).toBeLessThanOrEqual(tokensIn(text));
    expect(row.output_tokens).toBeGreaterThanOrEqual(sentBy(call, killTick - UNBILLED_MS_MAX));
    const firstUnbilled = call.sentTicks[Math.floor(row.output_tokens / TOKENS_PER_EVENT)];
    if (firstUnbilled !== undefined)
      figures.unbilledMs = Math.max(figures.unbilledMs, killTick - firstUnbilled);
  }
}
