import { ConsoleProblem } from "../api/problem.ts";

/** Argon2id as OWASP advises: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
/** Each needs its memory, and the machine has other work. */
const AT_ONCE_MAX = 2;
const WAITING_MAX = 50;
const RETRY_SECONDS = 5;

export type Passwords = {
  hash: (password: string) => Promise<string>;
  /** Does the same work where there is no hash to compare with, and says no. */
  verify: (password: string, hash: string | null) => Promise<boolean>;
};

export type PasswordWork = {
  hash: (password: string) => Promise<string>;
  verify: (password: string, hash: string) => Promise<boolean>;
};

/** Runs off the event loop. */
export const argon2: PasswordWork = {
  hash: password =>
    Bun.password.hash(password, { algorithm: "argon2id", memoryCost: MEMORY_KIB, timeCost: PASSES }),
  verify: (password, hash) => Bun.password.verify(password, hash),
};

export function passwordKeeper(
  randomBytes: (count: number) => Uint8Array,
  work: PasswordWork = argon2,
): Passwords {
  const inTurn = turnstile();
  // Nobody's: no password is known to give it, and comparing with it takes as long as with any other.
  const nobodys = hashOf(randomBytes(32), randomBytes(32));
  return {
    hash: password => inTurn(() => work.hash(normal(password))),
    verify: async (password, hash) => {
      const isRight = await inTurn(() => work.verify(normal(password), hash ?? nobodys));
      return isRight && hash !== null;
    },
  };
}

/** The same characters, however a keyboard composes them. */
function normal(password: string): string {
  return password.normalize("NFKC");
}

function hashOf(salt: Uint8Array, digest: Uint8Array): string {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replace(/=+$/, "");
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${text(salt)}$${text(digest)}`;
}

/** A few at once, some waiting, the rest turned away. */
function turnstile() {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= AT_ONCE_MAX) {
      if (waiting.length >= WAITING_MAX) throw tooBusy();
      // Whoever leaves hands its place over, so nobody slips in between.
      await new Promise<void>(resolve => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

function tooBusy(): ConsoleProblem {
  return new ConsoleProblem(
    "unavailable",
    "Too many people are signing in at this moment; try again in a few seconds.",
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
