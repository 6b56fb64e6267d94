import { createServer as createHttp } from "node:http";
import { type AddressInfo, createServer as createTcp, type Server } from "node:net";

/** What settings can name: a mail server and a sign-in service, on loopback. */

function listening(server: Server): Promise<number> {
  return new Promise(resolve => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}

function closed(server: Server): () => Promise<void> {
  return () => new Promise(resolve => server.close(() => resolve()));
}

/** As much of SMTP as it takes to be given a mail. */
export async function startMailbox() {
  const mails: string[] = [];
  const server = createTcp(socket => {
    let [mail, isData] = ["", false];
    let rest = "";
    const answer = (line: string) => void socket.write(`${line}\r\n`);
    answer("220 mailbox");
    socket.on("error", () => undefined);
    socket.on("data", piece => {
      const lines = (rest + piece.toString("utf8")).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (isData && line !== ".") {
          mail += `${line}\n`;
          continue;
        }
        if (isData) {
          mails.push(mail);
          [mail, isData] = ["", false];
          answer("250 taken");
        } else if (/^EHLO/i.test(line)) answer("250 mailbox");
        else if (/^DATA/i.test(line)) {
          isData = true;
          answer("354 go on");
        } else if (/^QUIT/i.test(line)) {
          answer("221 bye");
          socket.end();
        } else answer("250 ok");
      }
    });
  });
  return { port: await listening(server), mails, close: closed(server) };
}

/** What an issuer says of itself, and nothing more. */
export async function startIssuer() {
  let root = "";
  const server = createHttp((_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(
      JSON.stringify({
        issuer: root,
        authorization_endpoint: `${root}/authorize`,
        token_endpoint: `${root}/token`,
        jwks_uri: `${root}/keys`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      }),
    );
  });
  root = `http://127.0.0.1:${await listening(server)}`;
  return { root, close: closed(server) };
}
