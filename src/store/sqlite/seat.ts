import type { Clock } from "../../domain/clock.ts";
import type { FromOwner, ToOwner } from "./wire.ts";

/** Where the owner of a connection sits, and how it is spoken to. */
type Seat = {
  send: (message: string | ToOwner) => void;
  end: () => void;
};

type Hearing = {
  heard: (message: string | FromOwner) => void;
  failed: (message: string) => void;
};

/** In a thread of its own, as a server needs it: its event loop waits for no disk. */
export function besideSeat({ heard, failed }: Hearing): Seat {
  const thread = new Worker(new URL("./thread.ts", import.meta.url).href);
  thread.onerror = event => failed(event.message);
  thread.onmessage = (event: MessageEvent<string | FromOwner>) => heard(event.data);
  return { send: message => thread.postMessage(message), end: () => thread.terminate() };
}

/**
 * Here, as a command has it that does one thing and ends: it need not wait for a thread to start. What passes is copied,
 * and one thing is done after the other, as with a thread; in between, signals are heard.
 */
export function hereSeat({ heard, failed }: Hearing, clock: Clock): Seat {
  const owner = import("./owner.ts").then(
    ({ Owner }) => new Owner(message => void queueMicrotask(() => heard(structuredClone(message))), clock),
  );
  let turn: Promise<unknown> = owner;
  return {
    send: message => {
      const copy = structuredClone(message);
      turn = turn
        .then(() => new Promise(setImmediate))
        .then(async () => (await owner).take(copy))
        .catch(error => failed(String(error)));
    },
    end: () => {},
  };
}
