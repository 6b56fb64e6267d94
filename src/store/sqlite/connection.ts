import type { Id } from "../../domain/ids.ts";
import { StoreProblem } from "../store.ts";
import type { FromThread, ToThread } from "./wire.ts";

type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };
type Call =
  | { kind: "call"; name: string; args: unknown }
  | { kind: "recover"; bootIds: readonly Id<"boot">[] }
  | { kind: "close" };

/** The event loop's end of one database thread. */
export type Connection = {
  call: (message: Call) => Promise<unknown>;
  post: (batch: string) => void;
  close: () => Promise<void>;
};

export type ConnectionOptions = {
  file: string;
  bootId: Id<"boot">;
  readOnly: boolean;
  onBatchAnswer: (text: string) => void;
  onBroken: (message: string) => void;
};

export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  const thread = new Worker(new URL("./thread.ts", import.meta.url).href);
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
  thread.onerror = event => fail(event.message);
  thread.onmessage = (event: MessageEvent<string | FromThread>) => {
    const { data } = event;
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

  const send = (message: ToThread) => thread.postMessage(message);
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
    post: batch => thread.postMessage(batch),
    close: async () => {
      await call({ kind: "close" });
      thread.terminate();
    },
  };
}
