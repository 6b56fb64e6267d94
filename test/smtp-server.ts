import net from "node:net";
import tls from "node:tls";

/** A small mail server on loopback that takes mails, or refuses where it is told to. */

export type Received = {
  from: string;
  to: string[];
  /** The head and the body as they came, the dots of the wire undone. */
  data: string;
  isSecure: boolean;
  user: string | null;
};

export type SmtpOptions = {
  security: "tls" | "starttls" | "none";
  pair?: { key: string; cert: string };
  /** Who may send; without one everybody may. */
  login?: { user: string; password: string; mechanism: "PLAIN" | "LOGIN" };
  /** What it answers to a command instead, by the beginning of the command. */
  replies?: Readonly<Record<string, string>>;
  /** It takes connections, and says nothing. */
  isSilent?: boolean;
};

export type SmtpServer = {
  port: number;
  mails: Received[];
  /** Everything that clients said, a line each, with AUTH lines as they came. */
  said: string[];
  connections: () => number;
  close: () => void;
};

type Wire = { write: (text: string) => void; end: () => void };

export async function startSmtp(options: SmtpOptions): Promise<SmtpServer> {
  const sockets = new Set<net.Socket>();
  const shared = { mails: [] as Received[], said: [] as string[], connections: 0 };
  const keep = (socket: net.Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  const secure =
    options.pair === undefined
      ? null
      : tls.createServer(options.pair, socket => {
          keep(socket);
          talk(socket, { options, shared, isSecure: true, greets: options.security === "tls" });
        });
  secure?.on("tlsClientError", () => undefined);
  const securePort = secure === null ? 0 : await listening(secure);
  const plain = net.createServer(socket => {
    shared.connections += 1;
    keep(socket);
    talk(socket, {
      options,
      shared,
      isSecure: false,
      greets: true,
      upgrade: () => relay(socket, securePort, keep),
    });
  });
  const plainPort = await listening(plain);
  return {
    port: options.security === "tls" ? securePort : plainPort,
    mails: shared.mails,
    said: shared.said,
    connections: () => shared.connections,
    close: () => {
      for (const socket of sockets) socket.destroy();
      plain.close();
      secure?.close();
    },
  };
}

function listening(server: net.Server): Promise<number> {
  return new Promise(resolve => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as net.AddressInfo).port));
  });
}

/** After STARTTLS the bytes go to the server behind, which speaks TLS from its first byte. */
function relay(socket: net.Socket, port: number, keep: (socket: net.Socket) => void): void {
  const inner = net.connect(port, "127.0.0.1");
  keep(inner);
  socket.removeAllListeners("data");
  socket.on("data", bytes => inner.write(bytes));
  inner.on("data", bytes => socket.write(bytes));
  socket.on("close", () => inner.destroy());
  inner.on("close", () => socket.destroy());
}

type Talk = {
  options: SmtpOptions;
  shared: { mails: Received[]; said: string[] };
  isSecure: boolean;
  greets: boolean;
  upgrade?: () => void;
};

function talk(socket: net.Socket, { options, shared, isSecure, greets, upgrade }: Talk): void {
  const { replies = {}, isSilent = false } = options;
  const session = new Session({ options, isSecure, mails: shared.mails });
  const wire: Wire = { write: text => void socket.write(`${text}\r\n`), end: () => void socket.end() };
  let rest = "";
  if (isSilent) return;
  if (greets) wire.write(replies["greeting"] ?? "220 mail.test ESMTP");
  socket.on("data", (bytes: Buffer) => {
    rest += bytes.toString("latin1");
    for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      if (!session.isInData) shared.said.push(line);
      if (session.take(line, wire) === "upgrade") return upgrade?.();
    }
  });
}

class Session {
  isInData = false;
  readonly #options: SmtpOptions;
  readonly #isSecure: boolean;
  readonly #mails: Received[];
  #user: string | null = null;
  #step: "user" | "password" | null = null;
  #given = "";
  #from = "";
  #to: string[] = [];
  #data: string[] = [];

  constructor({ options, isSecure, mails }: { options: SmtpOptions; isSecure: boolean; mails: Received[] }) {
    this.#options = options;
    this.#isSecure = isSecure;
    this.#mails = mails;
  }

  take(line: string, wire: Wire): "upgrade" | null {
    if (this.isInData) return this.#takeData(line, wire);
    if (this.#step !== null) return this.#takeLogin(line, wire);
    const { replies = {} } = this.#options;
    const told = Object.keys(replies).find(start => line.toUpperCase().startsWith(start));
    if (told !== undefined) {
      wire.write(replies[told] ?? "");
      return null;
    }
    return this.#obey(line, wire);
  }

  #obey(line: string, wire: Wire): "upgrade" | null {
    const [command = ""] = line.toUpperCase().split(" ");
    const { security, login } = this.#options;
    if (command === "EHLO") {
      const offers = [
        ...(security === "starttls" && !this.#isSecure ? ["STARTTLS"] : []),
        ...(login === undefined ? [] : [`AUTH ${login.mechanism}`]),
      ];
      const lines = ["mail.test", ...offers, "8BITMIME"];
      wire.write(lines.map((text, at) => `250${at === lines.length - 1 ? " " : "-"}${text}`).join("\r\n"));
      return null;
    }
    if (command === "STARTTLS") {
      wire.write("220 go ahead");
      return "upgrade";
    }
    if (command === "AUTH") this.#auth(line, wire);
    else if (command === "QUIT") {
      wire.write("221 bye");
      wire.end();
    } else this.#envelope(command, line, wire);
    return null;
  }

  #envelope(command: string, line: string, wire: Wire): void {
    const address = /<(.*)>/.exec(line)?.[1] ?? "";
    if (this.#options.login !== undefined && this.#user === null) {
      wire.write("530 5.7.0 Authentication required");
      return;
    }
    if (command === "MAIL") this.#from = address;
    else if (command === "RCPT") this.#to.push(address);
    else if (command === "DATA") {
      this.isInData = true;
      wire.write("354 end with a dot");
      return;
    }
    wire.write("250 ok");
  }

  #takeData(line: string, wire: Wire): null {
    if (line !== ".") {
      this.#data.push(line.startsWith(".") ? line.slice(1) : line);
      return null;
    }
    this.isInData = false;
    const { replies = {} } = this.#options;
    if (replies["dot"] !== undefined) {
      wire.write(replies["dot"]);
      return null;
    }
    const data = Buffer.from(this.#data.join("\r\n"), "latin1").toString("utf8");
    this.#mails.push({ from: this.#from, to: this.#to, data, isSecure: this.#isSecure, user: this.#user });
    [this.#to, this.#data] = [[], []];
    wire.write("250 queued");
    return null;
  }

  #auth(line: string, wire: Wire): void {
    const [, mechanism = "", given = ""] = line.split(" ");
    if (mechanism === "LOGIN") {
      this.#step = "user";
      wire.write("334 VXNlcm5hbWU6");
      return;
    }
    const [, user = "", password = ""] = Buffer.from(given, "base64").toString("utf8").split("\0");
    this.#decide({ user, password }, wire);
  }

  #takeLogin(line: string, wire: Wire): null {
    const text = Buffer.from(line, "base64").toString("utf8");
    if (this.#step === "user") {
      this.#given = text;
      this.#step = "password";
      wire.write("334 UGFzc3dvcmQ6");
      return null;
    }
    this.#step = null;
    this.#decide({ user: this.#given, password: text }, wire);
    return null;
  }

  #decide({ user, password }: { user: string; password: string }, wire: Wire): void {
    const { login } = this.#options;
    const isRight = login !== undefined && login.user === user && login.password === password;
    // Some servers say back what they were told.
    if (isRight) this.#user = user;
    wire.write(isRight ? "235 welcome" : `535 5.7.8 Bad credentials ${user} ${password}`);
  }
}

/** The lines of the head, folded ones put together. */
export function headOf({ data }: Received): string[] {
  const [head = ""] = data.split("\r\n\r\n");
  return head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
}

/** What a mail says as plain text, whichever way it was encoded. */
export function textOf(mail: Received): string {
  return partOf(mail, "text/plain");
}

export function htmlOf(mail: Received): string {
  return partOf(mail, "text/html");
}

function partOf({ data }: Received, type: string): string {
  const boundary = /boundary="?([^"\r\n;]+)"?/.exec(data)?.[1] ?? "";
  const part = data.split(`--${boundary}`).find(one => one.includes(`Content-Type: ${type}`)) ?? "";
  const [head = "", ...rest] = part.split("\r\n\r\n");
  const body = rest.join("\r\n\r\n").trimEnd();
  if (/base64/i.test(head)) return Buffer.from(body, "base64").toString("utf8");
  if (!/quoted-printable/i.test(head)) return body;
  const joined = body.replace(/=\r\n/g, "");
  const bytes = joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
