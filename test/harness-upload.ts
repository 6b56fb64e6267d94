import { createServer, type Server, type Socket } from "node:net";

/** An upstream that watches a body arrive, and answers when it is told to, whether or not it has it all. */
export type Inbound = {
  head: string;
  /** Of the body, as it came over the wire. */
  bytes: number;
  body: () => Buffer;
  isClosed: boolean;
  pause: () => void;
  resume: () => void;
  reply: (status: number, body: string) => void;
};

export type UploadUpstream = {
  baseUrl: string;
  inbound: Inbound[];
  onBegin: (react: (inbound: Inbound) => void) => void;
  close: () => Promise<void>;
};

/** With `keeps` it remembers what it got; a large body is only counted. */
export async function uploadUpstream({ keeps }: { keeps: boolean }): Promise<UploadUpstream> {
  const inbound: Inbound[] = [];
  const sockets = new Set<Socket>();
  let react: (inbound: Inbound) => void = () => {};
  const server: Server = createServer(socket => {
    sockets.add(socket);
    socket.on("error", () => {});
    const kept: Buffer[] = [];
    let head = "";
    const one: Inbound = {
      head: "",
      bytes: 0,
      body: () => Buffer.concat(kept),
      isClosed: false,
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      reply: (status, body) => {
        const length = Buffer.byteLength(body);
        socket.write(
          `HTTP/1.1 ${status} X\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
        );
      },
    };
    socket.on("close", () => {
      sockets.delete(socket);
      one.isClosed = true;
    });
    socket.on("data", (data: Buffer) => {
      let body = data;
      if (one.head === "") {
        head += data.toString("latin1");
        const end = head.indexOf("\r\n\r\n");
        if (end < 0) return;
        one.head = head.slice(0, end).toLowerCase();
        body = Buffer.from(head.slice(end + 4), "latin1");
        inbound.push(one);
        queueMicrotask(() => react(one));
      }
      one.bytes += body.length;
      if (keeps) kept.push(body);
    });
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    inbound,
    onBegin: given => {
      react = given;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>(resolve => server.close(() => resolve()));
    },
  };
}

export const BOUNDARY = "----a-boundary-of-ours";

export type Part = { name: string; value: string | Uint8Array; file?: string };

export function part({ name, value, file }: Part): Buffer {
  const fileName = file === undefined ? "" : `; filename="${file}"\r\ncontent-type: audio/wav`;
  return Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${fileName}\r\n\r\n`),
    typeof value === "string" ? Buffer.from(value) : value,
    Buffer.from("\r\n"),
  ]);
}

export const END = Buffer.from(`--${BOUNDARY}--\r\n`);

export function form(...parts: readonly Part[]): Buffer {
  return Buffer.concat([...parts.map(part), END]);
}

/** The head of an upload; with a length of null it is sent in chunks. */
export function uploadHead(url: string, key: string, length: number | null): string {
  const framing = length === null ? "transfer-encoding: chunked" : `content-length: ${length}`;
  return `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer ${key}\r\ncontent-type: multipart/form-data; boundary=${BOUNDARY}\r\n${framing}\r\n\r\n`;
}

export function chunk(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}
