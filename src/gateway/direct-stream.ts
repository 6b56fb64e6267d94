/** Bun's direct stream: what is written goes straight to the socket. Its type is not in the standard library. */
export type DirectSink = {
  /** A promise where the client is behind: it resolves when there is room again. */
  write: (bytes: Uint8Array) => number | Promise<number>;
  flush: () => unknown;
  close: () => unknown;
};

export function directStream(pull: (sink: DirectSink) => Promise<void>): ReadableStream<Uint8Array> {
  return new ReadableStream({ type: "direct", pull } as unknown as UnderlyingSource<Uint8Array>);
}

type UnderlyingSource<T extends Uint8Array> = NonNullable<ConstructorParameters<typeof ReadableStream<T>>[0]>;
