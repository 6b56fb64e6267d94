import type { AccountRole } from "../../domain/account.ts";
import type { Catalogue } from "../../domain/catalogue.ts";
import type { Id } from "../../domain/ids.ts";
import type { KeyCheck } from "../../domain/key-check.ts";
import type { Log } from "../../domain/log.ts";
import type { TokenScope } from "../../domain/operator-token.ts";
import type { Calls, endpoints, Name } from "../contract/contract.ts";
import type { Control } from "../control.ts";
import type { Mailer } from "../mail.ts";
import type { Passwords } from "../sign-in/password.ts";
import type { Network } from "../upstream-network.ts";
import type { WebhookPost } from "../webhooks.ts";

/** What the console is given by the house, once. */
export type Desk = Omit<Control, "actor" | "through" | "address"> & {
  version: string;
  log: Log;
  catalogue: () => Catalogue;
  /** Root address as clients see it. */
  publicUrl: (request: Request) => string;
  clientAddress: (request: Request) => string;
  /** Has this process look at what changed: catalogue, settings, keys that stopped. */
  refresh: () => Promise<void>;
  passwords: Passwords;
  checkKey: CheckKey;
  mail: Mailer;
  webhooks: WebhookPost;
  /** The way out, for an operator's own questions to an upstream. */
  network: Network;
  /** How many requests this process has at an upstream now. */
  runningAt: (upstream: Id<"ups">) => number;
  /** Sends a request to the gateway within the process, for whoever made the other one. */
  dispatch: (request: Request, madeFor: Request) => Promise<Response>;
};

/** Null where no key has this hash. */
export type CheckKey = (hash: string, model: string | null) => Promise<readonly KeyCheck[] | null>;

export type Visitor = {
  id: Id<"acc">;
  email: string;
  role: AccountRole;
  /** Null where a token calls, and the token null where a browser does. */
  sessionId: Id<"ses"> | null;
  token: { name: string; scope: TokenScope } | null;
  /** When they last proved who they are. */
  provedAtMs: number;
};

/** One call, once it is known who makes it and that they may. */
export type Visit = {
  desk: Desk;
  /** For the rules that console and command line share; its actor is the visitor. */
  control: Control;
  request: Request;
  requestId: string;
  /** Root address as clients see it, without /v1. */
  root: string;
  address: string;
  nowMs: number;
};

export type SignedIn = Visit & { visitor: Visitor };

type VisitOf<N extends Name> = (typeof endpoints)[N]["access"] extends "open" ? Visit : SignedIn;

/** What handles an endpoint. A `Response` is for what is not plain JSON, or carries a cookie. */
export type Handler<N extends Name> = (
  visit: VisitOf<N>,
  call: Omit<Calls[N], "answer">,
) => Promise<Calls[N]["answer"] | Response>;

/** One for every endpoint: a missing one does not compile. */
export type Handlers = { [N in Name]: Handler<N> };
