import type { AccountRole } from "../../domain/account.ts";
import type { Catalogue } from "../../domain/catalogue.ts";
import type { Id } from "../../domain/ids.ts";
import type { Log } from "../../domain/log.ts";
import type { Calls, endpoints, Name } from "../contract/contract.ts";
import type { Control } from "../control.ts";

/** What the console is given by the house, once. */
export type Desk = Omit<Control, "actor"> & {
  version: string;
  log: Log;
  catalogue: () => Catalogue;
  /** Root address as clients see it. */
  publicUrl: (request: Request) => string;
};

export type Visitor = {
  id: Id<"acc">;
  email: string;
  role: AccountRole;
  sessionId: Id<"ses">;
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
