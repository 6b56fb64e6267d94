import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { MailServer } from "../src/domain/settings-house.ts";
import { addressRules } from "../src/upstream/address-rules.ts";
import { type Certificate, certificate } from "../src/upstream/http1-tls-test-rig.ts";
import { type Letter, type MailWay, sendLetter } from "../src/upstream/mail.ts";
import { headOf, htmlOf, type SmtpOptions, type SmtpServer, startSmtp, textOf } from "./smtp-server.ts";

const PASSWORD = "correct horse battery";
const LOGIN = { user: "house", password: PASSWORD, mechanism: "PLAIN" } as const;
const NAME = "mail.house.test";

const LETTER: Letter = {
  to: "ann@example.org",
  fromName: "The House",
  subject: "Hello",
  text: "Dear Ann\n.\nand a dot",
  html: "<p>Dear Ann</p>",
  messageId: "<one@house.test>",
  dateMs: Date.UTC(2027, 0, 2, 3, 4, 5),
};

let pair: Certificate;
let server: SmtpServer | null = null;

beforeAll(() => {
  pair = certificate(`DNS:${NAME}`);
});
afterEach(() => {
  server?.close();
  server = null;
});
afterAll(() => server?.close());

type Rig = {
  smtp?: Partial<SmtpOptions>;
  as?: Partial<MailServer>;
  way?: Partial<MailWay>;
  letter?: Partial<Letter>;
};

/** Sends one letter to a server of its own. */
async function send({ smtp = {}, as = {}, way = {}, letter = {} }: Rig) {
  server = await startSmtp({ security: "none", ...smtp });
  const to: MailServer = {
    ...{ host: NAME, port: server.port, security: smtp.security ?? "none" },
    ...{ user: null, password: null, from: "house@house.test" },
    ...as,
  };
  const problem = await sendLetter(
    { ...LETTER, ...letter },
    {
      server: to,
      rules: addressRules([NAME]),
      lookUp: async () => ["127.0.0.1"],
      tls: { ca: pair.cert },
      stepMsMax: 1_500,
      ...way,
    },
  );
  return { problem, place: `${to.host}:${to.port}`, server };
}

const credentials = { user: LOGIN.user, password: PASSWORD };

describe("a letter", () => {
  test("arrives whole, as text and as markup, with its name and its date", async () => {
    const { problem, server } = await send({});
    expect(problem).toBeNull();
    const [mail] = server.mails;
    if (mail === undefined) throw new Error("nothing arrived");
    expect(mail).toMatchObject({ from: "house@house.test", to: ["ann@example.org"], isSecure: false });
    const head = headOf(mail);
    expect(head).toContain("Message-ID: <one@house.test>");
    expect(head).toContain("Date: Sat, 02 Jan 2027 03:04:05 +0000");
    expect(head).toContain("From: The House <house@house.test>");
    expect(head).toContain("To: ann@example.org");
    expect(head).toContain("Auto-Submitted: auto-generated");
    expect(textOf(mail).replaceAll("\r\n", "\n")).toBe("Dear Ann\n.\nand a dot");
    expect(htmlOf(mail)).toBe("<p>Dear Ann</p>");
    expect(server.said[0]).toBe("EHLO house.test");
  });

  test.each(["tls", "starttls"] as const)("goes by %s, with a user and a password", async security => {
    for (const mechanism of ["PLAIN", "LOGIN"] as const) {
      const { problem, server } = await send({
        smtp: { security, pair, login: { ...LOGIN, mechanism } },
        as: credentials,
      });
      expect(problem).toBeNull();
      expect(server.mails).toMatchObject([{ isSecure: true, user: "house" }]);
      server.close();
    }
  });

  test("has no line of the head that a name has brought", async () => {
    const evil = "Evil\r\nBcc: all@example.org\r\n\r\nbody\u2028X: y";
    const { problem, server } = await send({ letter: { fromName: evil, subject: `Hi ${evil}` } });
    expect(problem).toBeNull();
    const [mail] = server.mails;
    if (mail === undefined) throw new Error("nothing arrived");
    expect(mail.to).toEqual(["ann@example.org"]);
    expect(headOf(mail).filter(line => /^(bcc|x):/i.test(line))).toEqual([]);
    expect(textOf(mail)).toContain("Dear Ann");
  });

  test.each([
    "ann@example.org\r\nRCPT TO:<eve@example.org>",
    "ann@example.org>\r\nDATA",
    "a b@example.org\nx",
  ])("goes to nobody but who it is for, whatever the address %j holds", async to => {
    const { server, problem } = await send({ letter: { to } });
    expect(problem).toMatchObject({ sentence: "Its recipient is not an e-mail address.", isFinal: true });
    const recipients = server.said.filter(line => line.startsWith("RCPT"));
    expect(recipients).toEqual([]);
    expect(server.connections()).toBe(0);
  });
});

describe("what goes wrong is told with what to change:", () => {
  const told = async (rig: Rig) => {
    const { problem, place, server } = await send(rig);
    expect(server.mails).toEqual([]);
    expect(problem?.sentence).toContain(place);
    expect(problem?.sentence).not.toContain(PASSWORD);
    expect(problem?.sentence).not.toContain(Buffer.from(PASSWORD).toString("base64"));
    return { ...problem, sentence: (problem?.sentence ?? "").replaceAll(place, "HOST") };
  };

  test("nothing listens", async () => {
    const { sentence, isFinal } = await told({ as: { port: 1 } });
    expect(sentence).toBe("Cannot connect to HOST: nothing listens there. Check host and port.");
    expect(isFinal).toBe(false);
  });

  test("a name that cannot be resolved", async () => {
    const lookUp = () => Promise.reject(new Error("no such name"));
    const { sentence } = await told({ way: { lookUp } });
    expect(sentence).toBe(`Cannot connect to HOST: the name ${NAME} cannot be resolved.`);
  });

  test("a private address that nobody has allowed is not connected to", async () => {
    const { sentence } = await told({ way: { rules: addressRules([]) } });
    expect(sentence).toContain(
      `is refused, because that is a private address: if it is meant, put ${NAME} into`,
    );
    expect(server?.connections()).toBe(0);
  });

  test("a name of a cloud's metadata is not connected to", async () => {
    const { sentence } = await told({ way: { lookUp: async () => ["169.254.169.254"] } });
    expect(sentence).toContain("169.254.169.254 is refused");
  });

  test("a server that says nothing", async () => {
    const { sentence } = await told({ smtp: { isSilent: true } });
    expect(sentence).toBe(
      "HOST was connected to but says nothing. Check that a mail server is there. If it wants TLS from the beginning, set the security to tls.",
    );
  });

  test.each(["tls", "starttls"] as const)("a certificate by %s that nobody trusts", async security => {
    const { sentence } = await told({
      smtp: { security, pair },
      way: { tls: { ca: certificate("DNS:x").cert } },
    });
    expect(sentence).toContain("The certificate of HOST is not trusted: it is signed by");
    expect(server?.said.filter(line => line.startsWith("AUTH") || line.startsWith("MAIL"))).toEqual([]);
  });

  test.each(["tls", "starttls"] as const)("a certificate by %s for another name", async security => {
    const other = certificate("DNS:other.test");
    const { sentence } = await told({ smtp: { security, pair: other }, way: { tls: { ca: other.cert } } });
    expect(sentence).toContain("The certificate of HOST is not trusted: it is for another name.");
  });

  test("TLS where the server does not speak it", async () => {
    const { sentence } = await told({ smtp: { security: "none" }, as: { security: "tls" } });
    expect(sentence).toContain("HOST does not speak TLS from the beginning: set the security to starttls");
  });

  test("STARTTLS that is not offered, and nothing is sent without it", async () => {
    const { sentence } = await told({
      smtp: { security: "none", replies: { STARTTLS: "502 not here" } },
      as: { security: "starttls", ...credentials },
    });
    expect(sentence).toContain("HOST does not offer STARTTLS (it answered “502 not here”).");
    expect(server?.said.some(line => line.startsWith("AUTH"))).toBe(false);
  });

  test("a wrong password, without saying it", async () => {
    const { sentence, status } = await told({
      smtp: { login: LOGIN },
      as: { user: "house", password: `${PASSWORD} wrong` },
    });
    expect(sentence).toBe(
      "HOST refused the user or the password (it answered “535 5.7.8 Bad credentials house …”). Check both; some providers want a password for programs, made in their settings.",
    );
    expect(status).toBe(535);
  });

  test("a server that takes no users", async () => {
    const { sentence } = await told({ smtp: { replies: { AUTH: "503 no" } }, as: credentials });
    expect(sentence).toContain("HOST takes no user and password here.");
  });

  test("a server that wants a user", async () => {
    const { sentence } = await told({ smtp: { login: LOGIN } });
    expect(sentence).toContain(
      "HOST wants a user and a password (it answered “530 5.7.0 Authentication required”).",
    );
  });

  test("a sender that is refused", async () => {
    const { sentence, isFinal } = await told({ smtp: { replies: { MAIL: "550 5.7.1 not yours" } } });
    expect(sentence).toBe(
      "HOST refused the sender house@house.test (it answered “550 5.7.1 not yours”). Set the sender to an address that this user may send from.",
    );
    expect(isFinal).toBe(false);
  });

  test("a recipient that is refused, for good", async () => {
    const { sentence, isFinal } = await told({ smtp: { replies: { RCPT: "550 5.1.1 nobody here" } } });
    expect(sentence).toBe(
      "HOST refused the recipient ann@example.org (it answered “550 5.1.1 nobody here”). Check the address.",
    );
    expect(isFinal).toBe(true);
  });

  test.each(["MAIL", "RCPT", "dot"])("a server that cannot take it now, at %s", async command => {
    const { sentence, isFinal } = await told({ smtp: { replies: { [command]: "451 4.3.0 later" } } });
    expect(sentence).toBe("HOST cannot take the mail now (it answered “451 4.3.0 later”). Try again later.");
    expect(isFinal).toBe(false);
  });

  test("a mail that is refused when it has been read", async () => {
    const { sentence, isFinal } = await told({ smtp: { replies: { dot: "554 looks like spam" } } });
    expect(sentence).toBe("HOST refused the mail (it answered “554 looks like spam”).");
    expect(isFinal).toBe(true);
  });

  test("a long answer of the server is cut, and stays one line", async () => {
    const { sentence } = await told({ smtp: { replies: { RCPT: `550 ${"no ".repeat(200)}` } } });
    expect(sentence.length).toBeLessThan(350);
    expect(sentence).not.toContain("\n");
  });
});
