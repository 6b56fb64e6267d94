import type { Dialect } from "../../src/domain/usage.ts";
import type { Step } from "./scripted-upstream.ts";
import type { Heard } from "./voice.ts";

/** A coding tool as it is installed, run without a terminal, with everything that it writes in one place. */

export type Place = { home: string; work: string };

export type Ask = {
  /** The address of the installation, without a path. */
  root: string;
  key: string;
  model: string;
  prompt: string;
  place: Place;
  /** The base URL that people paste by mistake into this client. */
  wrongBase: boolean;
  /** It is not to ask again, so that what it prints in the end can be seen at once. */
  once: boolean;
  /** It tells what it does while it waits. */
  talks: boolean;
};

export type Launch = { command: string[]; env: Record<string, string>; files: Record<string, string> };

export type Task = {
  /** Begins the name of the model, since what a client offers depends on it; the upstream's dialect ends it. */
  model: string;
  about: string;
  steps: (place: Place) => Step[];
  /** What is to hold of what the upstream heard; throws. */
  verify: (heard: readonly Heard[], between: Between) => void;
};

/** The dialects of both ends. */
export type Between = { client: Dialect; upstream: Dialect };

export type RefusalCase =
  | "key_unknown"
  | "key_disabled"
  | "balance_exhausted"
  | "model_not_in_group"
  | "rate_limited"
  | "wrong_base_url";

export type Client = {
  name: string;
  /** What it speaks. */
  dialect: Dialect;
  launch: (ask: Ask) => Launch;
  tasks: readonly Task[];
  /** What it prints of a refusal, as a pattern, given that of the gateway's sentence. */
  shows: Partial<Record<RefusalCase, (sentence: string) => string>>;
  /** After which it asks again a few times, unless it is told not to. After any other it gives up by itself. */
  asksAgain: readonly RefusalCase[];
  /** After which it asks again without end, and prints something only where it is to talk. */
  waits: readonly RefusalCase[];
};

/** What the final answer of every task says. */
export const DONE = "The task is done, said the upstream.";
export const FIRST = "first line of the file";
