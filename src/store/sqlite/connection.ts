import type { Clock } from "../../domain/clock.ts";
import type { Id } from "../../domain/ids.ts";
import { StoreProblem } from "../store.ts";
import { besideSeat, hereSeat } from "./seat.ts";
import type { FromOwner, ToOwner } from "./wire.ts";

type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };
type Call =
  | { kind: "call"; name: string; args: unknown }
  | { kind: "recover"; bootIds: readonly Id<"boot">[] }
  | { kind: "close" };

/** The event loop's end of one connection. */
export type Connection = {
  call: (message: Call) => Promise<unknown>;
  post: (batch: string) => void;
  close: () => Promise<void>;
};

export type ConnectionOptions = {
  file: string;
  bootId: Id<"boot">;
  readOnly: boolean;
  /** Whose clock it goes by where it has no thread of its own. */
  here: Clock | null;
  onBatchAnswer: (text: string) => void;
  onBroken: (message: string) => void;
};

export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const waiting = new Map<number, Waiting>();
  let calls = 0;

  const opened = Promise.withResolvers<void>();
  let broken: string | null = null;
  const fail = (message: string) => {
    broken = message;
    opened.reject(new StoreProblem(message));
    for (const { reject } of waiting.values()) reject(new Error(message));
    waiting.clear();
    options.onBroken(message);
  };
  const heard = (data: string | FromOwner) => {
    if (typeof data === "string") return options.onBatchAnswer(data);
    if (data.kind === "opened") return opened.resolve();
    if (data.kind === "broken") return fail(data.message);
    const asked = waiting.get(data.call);
    waiting.delete(data.call);
    if (data.kind === "result") asked?.resolve(data.value);
    else
      asked?.reject(
        data.known ? new StoreProblem(data.message, { field: data.field ?? null }) : new Error(data.message),
      );
  };

  const hearing = { heard, failed: fail };
  const seat = options.here === null ? besideSeat(hearing) : hereSeat(hearing, options.here);
  const send = (message: ToOwner) => seat.send(message);
  const { file, bootId, readOnly } = options;
  send({ kind: "open", file, bootId, readOnly });
  await opened.promise;

  const call = (message: Call) =>
    new Promise<unknown>((resolve, reject) => {
      if (broken !== null) return reject(new Error(broken));
      calls += 1;
      waiting.set(calls, { resolve, reject });
      send({ ...message, call: calls });
    });
  return {
    call,
    post: seat.send,
    close: async () => {
      await call({ kind: "close" });
      seat.end();
    },
  };
}
