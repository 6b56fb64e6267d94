import { connect, type Socket } from "node:net";

/**
 * A client that keeps its connection and forgives nothing: it repeats no request, so that one that a server has lost is
 * seen. Only where the server said that it closes, or did so before anything was asked, another connection is made.
 */

export type KeptAnswer = { status: number; text: string; isWhole: boolean };

const ANSWER_MS_MAX = 60_000;

export class KeptConnection {
  #socket: Socket | null = null;
  #connections = 0;

  constructor(readonly url: string) {}

  /** How many it has made. */
  get connections(): number {
    return this.#connections;
  }

  async ask(request: string): Promise<KeptAnswer> {
    const socket = this.#socket ?? (await this.#connect());
    this.#socket = null;
    const answer = await answerOn(socket, request);
    if (answer.isWhole && !answer.closes && !socket.destroyed) this.#keep(socket);
    else socket.destroy();
    return answer;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = null;
  }

  #connect(): Promise<Socket> {
    const { hostname, port } = new URL(this.url);
    this.#connections += 1;
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port) }, () => resolve(socket));
      socket.once("error", reject);
    });
  }

  #keep(socket: Socket): void {
    this.#socket = socket;
    socket.once("close", () => {
      if (this.#socket === socket) this.#socket = null;
    });
  }
}

function answerOn(socket: Socket, request: string): Promise<KeptAnswer & { closes: boolean }> {
  return new Promise(resolve => {
    let text = "";
    const finish = () => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on("error", () => undefined);
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
      const closes = /^connection: close\r$/im.test(text);
      resolve({ status, text, isWhole: isWhole(text), closes });
    };
    const timer = setTimeout(finish, ANSWER_MS_MAX);
    socket.on("data", piece => {
      text += piece.toString("latin1");
      if (isWhole(text)) finish();
    });
    socket.on("error", finish);
    socket.on("close", finish);
    socket.write(request);
  });
}

function isWhole(text: string): boolean {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return false;
  const length = /^content-length: (\d+)\r$/im.exec(text.slice(0, head + 2))?.[1];
  return length === undefined ? text.endsWith("\r\n0\r\n\r\n") : text.length - head - 4 >= Number(length);
}
