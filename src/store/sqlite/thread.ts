import { Owner } from "./owner.ts";
import type { ToOwner } from "./wire.ts";

/** The thread that a connection has in a server: what it waits for, the event loop does not. */

declare const self: Worker;

const owner = new Owner(message => self.postMessage(message), { nowMs: Date.now });

self.onmessage = (event: MessageEvent<string | ToOwner>) => void owner.take(event.data);
