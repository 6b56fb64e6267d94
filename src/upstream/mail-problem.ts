import type { MailServer } from "../domain/settings-house.ts";

/** Why a mail was not sent, and what to change, in a sentence without secrets. */
export type MailProblem = {
  sentence: string;
  /** What the server answered, where it did. */
  status: number | null;
  /** The same mail will not go the next time either. */
  isFinal: boolean;
  /** Another address of the same name may do. */
  isOfAddress?: boolean;
};

/** What the library says of a failure. */
type Failure = {
  code?: unknown;
  originalCode?: unknown;
  message?: unknown;
  response?: unknown;
  responseCode?: unknown;
  command?: unknown;
  timeoutType?: unknown;
};

type About = { server: MailServer; to: string };

const REPLY_CHARACTERS_MAX = 200;
const PERMANENT = 500;

/** What the certificate is not, by the names that TLS has for it. */
const CERTIFICATE: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/EXPIRED/, "it has expired"],
  [/NOT_YET_VALID/, "it is not valid yet: check the clock of this machine"],
  [/ALTNAME_INVALID|HOSTNAME_MISMATCH/, "it is for another name"],
  [/SELF_SIGNED/, "it is signed by itself or by an authority that this machine does not know"],
  [/UNABLE_TO_(VERIFY|GET)|UNTRUSTED/, "it is signed by an authority that this machine does not know"],
  [/REVOKED/, "it was revoked"],
];

export function mailProblem(error: unknown, about: About): MailProblem {
  const failure: Failure = typeof error === "object" && error !== null ? error : {};
  const status = typeof failure.responseCode === "number" ? failure.responseCode : null;
  const found = status === null ? unheard(failure, about) : refused(failure, { ...about, status });
  return { ...found, status };
}

type Found = Omit<MailProblem, "status">;

const again = (sentence: string): Found => ({ sentence, isFinal: false });

/** Nothing was answered that says why. */
function unheard(failure: Failure, { server }: About): Found {
  const { host, port, security } = server;
  const place = `${host}:${port}`;
  const codes = `${String(failure.originalCode ?? "")} ${String(failure.code ?? "")} ${String(failure.message ?? "")}`;
  const certificate = CERTIFICATE.find(([pattern]) => pattern.test(codes.toUpperCase().replaceAll(" ", "_")));
  if (certificate !== undefined) {
    return again(
      `The certificate of ${place} is not trusted: ${certificate[1]}. Use the name that its certificate is for, or have it renewed; an authority of your own is trusted by NODE_EXTRA_CA_CERTS.`,
    );
  }
  if (/WRONG_VERSION|wrong version|packet length|UNKNOWN_PROTOCOL|ERR_SSL/i.test(codes)) {
    return again(
      `${place} does not speak TLS from the beginning: set the security to starttls, or use the port for TLS, which is 465 as a rule.`,
    );
  }
  if (failure.timeoutType !== undefined && failure.timeoutType !== "CONNECT_TIMEOUT") {
    const hint = security === "tls" ? "" : " If it wants TLS from the beginning, set the security to tls.";
    return again(`${place} was connected to but says nothing. Check that a mail server is there.${hint}`);
  }
  if (/ECONNREFUSED/.test(codes)) {
    return {
      ...again(`Cannot connect to ${place}: nothing listens there. Check host and port.`),
      isOfAddress: true,
    };
  }
  if (/ETIMEDOUT|too slow/.test(codes)) {
    return {
      ...again(
        `Cannot connect to ${place}: it did not answer in time. Check host and port, and whether a firewall lets this machine out to it.`,
      ),
      isOfAddress: true,
    };
  }
  if (failure.code === "EAUTH") return again(noCredentials(place));
  return unreachable(failure, server);
}

function unreachable(failure: Failure, { host, port, security }: MailServer): Found {
  const place = `${host}:${port}`;
  if (failure.code === "ETLS" || /closed/i.test(String(failure.message))) {
    const hint = security === "tls" ? "" : " If it wants TLS from the beginning, set the security to tls.";
    return again(`${place} closed the connection before the mail was sent. Try again.${hint}`);
  }
  const code = typeof failure.originalCode === "string" ? ` (${failure.originalCode})` : "";
  return { ...again(`Cannot connect to ${place}${code}. Check host and port.`), isOfAddress: true };
}

const noCredentials = (place: string) =>
  `${place} takes no user and password here. Check the port, or remove the user and the password.`;

/** The server said no, and the command says to what. */
function refused(failure: Failure, { server, to, status }: About & { status: number }): Found {
  const place = `${server.host}:${server.port}`;
  const command = String(failure.command ?? "");
  const reply = `(it answered “${replyOf(failure, server)}”)`;
  const isFinal = status >= PERMANENT;
  if (command.startsWith("AUTH")) {
    if (!isFinal) return again(`${place} cannot check the user and password now ${reply}. Try again later.`);
    if (status === 535 || status === 534 || status === 530)
      return again(
        `${place} refused the user or the password ${reply}. Check both; some providers want a password for programs, made in their settings.`,
      );
    return again(`${noCredentials(place)} ${reply}`);
  }
  if (command === "STARTTLS" || command === "EHLO")
    return again(
      `${place} does not offer STARTTLS ${reply}. Set the security to tls if it speaks TLS from the beginning, or to none where the way to it is your own.`,
    );
  if (status === 530)
    return again(`${place} wants a user and a password ${reply}. Set both, and starttls or tls as security.`);
  if (!isFinal) return again(`${place} cannot take the mail now ${reply}. Try again later.`);
  if (command === "MAIL FROM")
    return again(
      `${place} refused the sender ${server.from} ${reply}. Set the sender to an address that this user may send from.`,
    );
  if (command === "RCPT TO")
    return {
      sentence: `${place} refused the recipient ${to} ${reply}. Check the address.`,
      isFinal: true,
    };
  return { sentence: `${place} refused the mail ${reply}.`, isFinal: true };
}

/** One line, of a length that can be shown. */
function replyOf({ response }: Failure, server: MailServer): string {
  const line = withoutSecrets(String(response ?? ""), server)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return line.length > REPLY_CHARACTERS_MAX ? `${line.slice(0, REPLY_CHARACTERS_MAX)}…` : line;
}

/** A server may say back what it was told. */
function withoutSecrets(said: string, { user, password }: MailServer): string {
  if (password === null) return said;
  const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64");
  const forms = [password, base64(password), base64(`\0${user ?? ""}\0${password}`)];
  return forms.reduce((text, form) => text.replaceAll(form, "…"), said);
}
