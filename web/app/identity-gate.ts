/** Between a call that needs a recent sign-in and the dialog that asks for it. */

let waiting: ((isProved: boolean) => void) | null = null;
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

/** Opens the dialog; true once it was proved, false where it was closed. */
export function askIdentity(): Promise<boolean> {
  waiting?.(false);
  return new Promise(resolve => {
    waiting = resolve;
    tell();
  });
}

export function answerIdentity(isProved: boolean): void {
  const resolve = waiting;
  waiting = null;
  tell();
  resolve?.(isProved);
}

export function isIdentityAsked(): boolean {
  return waiting !== null;
}

export function onIdentityAsked(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
