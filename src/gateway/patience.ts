import { type Answer, type AnswerConsumer, type Exchange, UpstreamFailure } from "../upstream/answer.ts";
import type { Flight } from "./flight.ts";
import type { Gate } from "./gate.ts";
import { judge } from "./judge.ts";

/** It is looked at a few times a second, so that no silence reaches the 15 s that are promised. */
const PATIENCE_MS = 12_000;

/**
 * The head of a stream's answer; or, where the upstream takes longer than a client should sit in silence, one that
 * stands for it, so that the stream can begin and be kept alive until the upstream does.
 */
export function answerOrPatience(flight: Flight, { nowMs }: Pick<Gate, "nowMs">): Promise<Answer> {
  const { exchange, call } = flight;
  return new Promise((resolve, reject) => {
    exchange.answer.then(resolve, reject);
    flight.onTick = () => {
      // Whoever is still sending does not wait for an answer.
      if (nowMs() - call.startedAtMs < PATIENCE_MS || !flight.hasAsked) return;
      flight.onTick = null;
      resolve(new LateAnswer(exchange, flight.model));
    };
  });
}

/** Begun before the upstream has: what it turns out to be is told to the reader when it comes. */
export class LateAnswer implements Answer {
  readonly status = 200;
  readonly headers: ReadonlyMap<string, string> = new Map([["content-type", "text/event-stream"]]);
  readonly #exchange: Exchange;
  readonly #model: string;
  #answer: Answer | null = null;
  #isPaused = false;
  #isOver = false;

  constructor(exchange: Exchange, model: string) {
    this.#exchange = exchange;
    this.#model = model;
  }

  read(consumer: AnswerConsumer): void {
    this.#exchange.answer.then(
      answer => this.#begin(answer, consumer),
      (error: unknown) => {
        if (!this.#isOver) consumer.onFailure(asFailure(error));
      },
    );
  }

  #begin(answer: Answer, consumer: AnswerConsumer): void {
    if (this.#isOver) return;
    const type = answer.headers.get("content-type") ?? "";
    if (judge(answer, this.#model).kind !== "good" || !type.toLowerCase().startsWith("text/event-stream")) {
      answer.abort();
      consumer.onFailure(new UpstreamFailure("protocol", `late, with status ${answer.status} and ${type}`));
      return;
    }
    this.#answer = answer;
    if (this.#isPaused) answer.pause();
    answer.read(consumer);
  }

  pause(): void {
    this.#isPaused = true;
    this.#answer?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#answer?.resume();
  }

  abort(): void {
    this.#isOver = true;
    if (this.#answer === null) this.#exchange.abort();
    else this.#answer.abort();
  }
}

function asFailure(error: unknown): UpstreamFailure {
  return error instanceof UpstreamFailure ? error : new UpstreamFailure("protocol", String(error));
}
