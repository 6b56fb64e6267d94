import { connect, type Socket } from "node:net";

/** Many requests at the same moment, each on a connection of its own. */

export type StormAnswer = { status: number; requestId: string; body: string };

export type Storm = {
  answers: StormAnswer[];
  /** Resolves when so many have been answered whole. */
  answered: (count: number) => Promise<void>;
  /** Closes every connection. */
  end: () => void;
};

/** Every connection is open before the first byte is sent. */
export async function storm(url: string, request: string, count: number): Promise<Storm> {
  const { hostname, port } = new URL(url);
  const open = () =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) }, () => resolve(socket));
      socket.once("error", reject);
    });
  const sockets: Socket[] = [];
  for (let at = 0; at < count; at += 100) {
    const more = await Promise.all(Array.from({ length: Math.min(100, count - at) }, open));
    sockets.push(...more);
  }
  const answers: StormAnswer[] = [];
  let wake = Promise.withResolvers<void>();
  for (const socket of sockets) {
    let data = Buffer.alloc(0);
    let told = false;
    socket.on("error", () => {});
    socket.on("data", piece => {
      data = Buffer.concat([data, typeof piece === "string" ? Buffer.from(piece) : piece]);
      const answer = told ? null : readAnswer(data);
      if (answer === null) return;
      told = true;
      answers.push(answer);
      wake.resolve();
      wake = Promise.withResolvers();
    });
  }
  for (const socket of sockets) socket.write(request);
  return {
    answers,
    answered: async wanted => {
      while (answers.length < wanted) await wake.promise;
    },
    end: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Null until the answer is whole. */
function readAnswer(data: Buffer): StormAnswer | null {
  const headEnd = data.indexOf("\r\n\r\n");
  if (headEnd < 0) return null;
  const head = data.toString("latin1", 0, headEnd);
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  if (data.length < headEnd + 4 + length) return null;
  return {
    status: Number(head.split(" ")[1]),
    requestId: /^x-request-id: *(\S+)/im.exec(head)?.[1] ?? "",
    body: data.toString("utf8", headEnd + 4, headEnd + 4 + length),
  };
}
